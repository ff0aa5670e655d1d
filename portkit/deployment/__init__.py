"""What a launch means: settings in the field's units, each with where its value comes from."""

from portkit.deployment.schema import Deployment, Provenance, Setting

__all__ = ["Deployment", "Provenance", "Setting"]

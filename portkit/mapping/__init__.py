"""What corresponds to what between the engines: rows from mappings/*.yaml."""

"""Speculative decoding: which method, how many draft tokens, and where an equivalent is broken.

k is the number of draft tokens proposed per step, q = k + 1 the tokens per request in one verify
step. SGLang counts steps (k), or the verify width with the root token (k + 1, also DFlash's block);
vLLM counts k. Sources: SGLang 0.5.12.post1 server_args.py `_handle_speculative_decoding`,
`auto_choose_speculative_params`; 0.5.23 arg_groups/speculative_hook.py; vLLM 0.20.1, 0.24.0, 0.27.1
and 0.33.0 config/speculative.py and v1/worker/gpu_model_runner.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from packaging.version import Version

from portkit.catalogue.resolution import Unknown
from portkit.conversions.generic import names_of, without_place
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext, as_given, emit_at, symbolic_shell
from portkit.deployment.schema import Setting
from portkit.mapping.load import rows
from portkit.mapping.rows import Row
from portkit.verdicts import Verdict

DFLASH_SAFE = Version("0.24.0")
"""First vLLM that shifts DFlash's target layer ids by one, as the drafts were trained."""

DFLASH_WINDOWS = Version("0.27.1")
"""First vLLM that honours sliding-window layers of a DFlash draft."""

DFLASH_DEFAULT_BLOCK = 16
NGRAM_DEFAULT_WIDTH = 12
MTP_DEFAULT_TOKENS = 3
"""SGLang's own automatic choice of steps for a chain of MTP drafts."""

_WIDE_TREE = frozenset({"LlamaForCausalLM", "Grok1ForCausalLM", "Grok1VForCausalLM"})
"""Architectures for which SGLang chooses 5 steps, 4 branches, 8 draft tokens; others get 3, 1, 4."""

_CHAIN_METHODS = ("mtp", "eagle", "eagle3", "draft_model")


@reader("speculation_method")
def read_method(row: Row, context: ReadContext) -> Reading | None:
    """The method by SGLang's algorithm (EAGLE without a draft of its own is MTP) or vLLM's name."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if isinstance(value, Unknown):
        return Reading(value, tuple(found))
    name = str(value)
    names = (n for n in names_of(row.side(context.engine)) if n.native.lower() == name.lower())
    method = next((n.canonical for n in names), name.lower())
    if context.engine == "sglang" and method == "eagle":
        draft = context.value("--speculative-draft-model-path")
        if draft is None or draft == context.value("--model-path"):
            return Reading("mtp", tuple(found), f"{name.upper()} without a draft model is the model's own MTP")
    return Reading(method, tuple(found))


@reader("draft_tokens")
def read_draft_tokens(row: Row, context: ReadContext) -> Reading | None:
    """k, from steps, the verify width, a block size, or what the release chooses by itself."""
    method = context.canonical("speculation.method")
    if method is None:
        found = context.found(row)
        return Reading(found[0].value, tuple(found)) if found else None
    if context.engine == "vllm":
        return _vllm_draft_tokens(row, context, str(method))
    return _sglang_draft_tokens(row, context, str(method))


def _vllm_draft_tokens(row: Row, context: ReadContext, method: str) -> Reading | None:
    found = context.found(row)
    if found:
        return Reading(found[0].value, tuple(found))
    if method == "mtp":
        layers = context.facts.mtp_layers
        return Reading(layers, (), "the model's own number of MTP layers") if layers else None
    return None


def _sglang_draft_tokens(row: Row, context: ReadContext, method: str) -> Reading | None:
    found = {str(f.place): f for f in context.found(row)}
    steps = found.get("--speculative-num-steps")
    width = found.get("--speculative-dflash-block-size") or found.get("--speculative-num-draft-tokens")
    used = tuple(found.values())
    if method in ("dflash", "dspark"):
        if width is None:
            expression = f"block size of the draft's config ({DFLASH_DEFAULT_BLOCK} if it names none) - 1"
            return Reading(Unknown(expression), used)
        return _minus_one(width.value, used, "block size - 1 (the block holds the known token)")
    if method == "ngram":
        if width is None:
            rule = f"{NGRAM_DEFAULT_WIDTH} draft tokens unless given, one of them the known token"
            return Reading(NGRAM_DEFAULT_WIDTH - 1, used, rule)
        return _minus_one(width.value, used, "draft tokens - 1 (one is the known token)")
    if steps is not None:
        rule = "" if width is None else f"{steps.value} steps; SGLang's {width.value} draft tokens count the root too"
        return Reading(steps.value, used, rule)
    return _automatic(context, method, used)


def _minus_one(value: object, used: tuple, rule: str) -> Reading:  # type: ignore[type-arg]
    return Reading(value - 1, used, rule) if isinstance(value, int) else Reading(value, used)


def _automatic(context: ReadContext, method: str, used: tuple) -> Reading | None:  # type: ignore[type-arg]
    architecture = context.facts.architecture
    if method == "draft_model" or (architecture is not None and architecture not in _WIDE_TREE):
        return Reading(3, used, "SGLang chooses 3 steps, 1 branch, 4 draft tokens")
    if architecture in _WIDE_TREE:
        return Reading(5, used, f"SGLang chooses 5 steps, 4 branches, 8 draft tokens for {architecture}")
    context.notes.append(
        "draft tokens: SGLang chooses 3 steps, but 5 in a tree for Llama and Grok; 3 assumed, --model-config tells"
    )
    return Reading(3, used, "SGLang chooses 3 steps unless the model is Llama or Grok (architecture unknown)")


@reader("tree_width")
def read_tree_width(row: Row, context: ReadContext) -> Reading | None:
    """Branches per draft step; 1 is a chain."""
    found = context.found(row)
    if found:
        return Reading(found[0].value, tuple(found))
    chosen = context.value("--speculative-num-steps") is None
    drafted = context.canonical("speculation.method") in ("eagle", "eagle3", "mtp")
    if chosen and drafted and context.facts.architecture in _WIDE_TREE:
        return Reading(4, (), f"SGLang chooses 4 branches for {context.facts.architecture}")
    return None


@reader("draft_model")
def read_draft_model(row: Row, context: ReadContext) -> Reading | None:
    """The draft's path."""
    found = context.found(row)
    return Reading(found[0].value, tuple(found)) if found else None


@dataclass(frozen=True, slots=True)
class Target:
    """The speculation a port sets up on vLLM. `method` is None where none is emitted."""

    method: str | None
    draft_tokens: int | None
    verdict: Verdict
    reason: str = ""
    instead: str = ""
    replaced: bool = False

    @property
    def tokens_per_request(self) -> int:
        """q: tokens of one request in a verify step."""
        return 1 + (self.draft_tokens or 0) if self.method else 1


def forced(context: WriteContext, setting: str) -> bool:
    """Whether the user asked for a setting although it is unsafe."""
    return bool({setting, setting.split(".", 1)[0]} & context.options.force)


def target_speculation(context: WriteContext) -> Target:
    """What the port sets up: the source's method, a safe stand-in, or none."""
    method = context.value("speculation.method")
    tokens = context.value("speculation.draft_tokens")
    if method is None:
        return Target(None, None, "built-in")
    if context.engine == "sglang":
        return Target(method, tokens, "converted")
    if method == "dflash" and context.release < DFLASH_SAFE and not forced(context, "speculation.method"):
        return _instead_of_dflash(context)
    if tokens is None and method != "mtp":
        return Target(None, None, "unknown", reason="vLLM needs num_speculative_tokens, which isn't known")
    if method == "mtp":
        return _mtp(context, tokens)
    return Target(method, tokens, "converted")


def _instead_of_dflash(context: WriteContext) -> Target:
    """MTP where the model has it, else none; a launch that stays on vLLM keeps what it has."""
    why = (
        f"DFlash on vLLM {context.release} feeds the draft the wrong hidden states (its target_layer_ids "
        "are read one layer early) and runs sliding-window draft layers as full attention: acceptance "
        "falls towards zero and no flag repairs it"
    )
    force = "force it with --force speculation.method, or port to vllm >= 0.24 (>= 0.27.1 with sliding layers)"
    if context.same_engine:
        return Target("dflash", context.value("speculation.draft_tokens"), "unsafe", why)
    if context.facts.mtp_layers:
        rendered = f"rendered instead: the model's own MTP with {MTP_DEFAULT_TOKENS} draft tokens; {force}"
        return Target("mtp", MTP_DEFAULT_TOKENS, "unsafe", why, rendered, replaced=True)
    return Target(None, None, "unsafe", why, f"no speculation rendered, as no MTP of this model is known; {force}")


def _mtp(context: WriteContext, tokens: int | None) -> Target:
    layers = context.facts.mtp_layers
    if tokens is None:
        return Target("mtp", layers or 1, "converted")
    if layers and tokens > layers and tokens % layers:
        fitting = tokens // layers * layers
        reason = f"vLLM refuses {tokens} tokens from {layers} MTP layers unless a multiple: {fitting} rendered"
        return Target("mtp", fitting, "approximate", reason)
    return Target("mtp", tokens, "converted")


@writer("speculation_method")
def write_method(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The method's name on the target, gated by release."""
    place = context.place(row)
    if place is None or not setting.known:
        return without_place(row, setting, context)
    target = target_speculation(context)
    if target.method is None:
        return Carry(target.verdict, reason=target.reason, instead=target.instead)
    name = next(
        (n for n in names_of(row.side(context.engine)) if n.canonical == target.method and n.holds_in(context.release)),
        None,
    )
    if name is None:
        return Carry("lost", reason=f"{context.engine} {context.release} has no {target.method} speculation")
    comment = "" if _source_text(setting) == name.native else f"{_source_text(setting)} in {context.origin}"
    verdict = target.verdict if target.verdict != "converted" else name.verdict
    reason = ". ".join(part for part in (target.reason, name.reason, _window_caution(target, context)) if part)
    if target.method == "dflash" and context.engine == "vllm" and context.release < DFLASH_WINDOWS:
        verdict = "unsafe" if context.release < DFLASH_SAFE else "approximate"
    return Carry(verdict, (emit_at(place, name.native, comment=comment),), reason=reason, instead=target.instead)


def _window_caution(target: Target, context: WriteContext) -> str:
    if target.method != "dflash" or context.engine != "vllm":
        return ""
    if not DFLASH_SAFE <= context.release < DFLASH_WINDOWS:
        return ""
    return "this release ignores sliding-window draft layers: use >= 0.27.1 if the draft's config has any"


def _source_text(setting: Setting) -> str:
    return setting.provenance.written[0].text if setting.provenance.written else setting.text()


def emitted_method(context: WriteContext) -> str | None:
    """The canonical method the port really writes, after release gates; None where it writes none."""
    carry = context.carried("speculation.method")
    return target_speculation(context).method if carry and carry.emits else None


def tokens_per_request(context: WriteContext) -> int:
    """q on the target: tokens of one request in a verify step, 1 without speculation."""
    return target_speculation(context).tokens_per_request if emitted_method(context) else 1


@writer("draft_tokens")
def write_draft_tokens(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """k as vLLM's num_speculative_tokens."""
    place = context.place(row)
    target = target_speculation(context)
    if emitted_method(context) is None or place is None:
        return _follows_method(context)
    if target.draft_tokens is None:
        return Carry("unknown", reason="the draft's block size isn't known: write it into the source launch")
    if target.replaced:
        rule = f"MTP's usual {target.draft_tokens}, not DFlash's {setting.text()}"
        return Carry("unsafe", (emit_at(place, target.draft_tokens, comment=rule),), rule=rule, follows=True)
    rule = setting.provenance.detail
    verdict: Verdict = "converted" if rule else "carried"
    if target.draft_tokens != setting.value:
        verdict, rule = "approximate", target.reason
    shell = symbolic_shell(setting) if not rule else None
    return Carry(verdict, (emit_at(place, target.draft_tokens, shell=shell, comment=rule),), rule=rule)


def _follows_method(context: WriteContext) -> Carry:
    carry = context.carried("speculation.method")
    if carry is None:
        return Carry("inert", reason="no speculation is set up")
    return Carry(carry.verdict if carry.verdict != "converted" else "lost", reason="goes with the method", follows=True)


@writer("sglang_draft_tokens")
def write_sglang_tokens(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Steps k, one branch, k + 1 draft tokens for a chain; the verify width k + 1 for the others."""
    method = emitted_method(context)
    if method is None or not isinstance(setting.value, int):
        return _follows_method(context)
    steps, width = setting.value, setting.value + 1
    rule = f"k = {steps}: {width} tokens with the root"
    emits = []
    if method in _CHAIN_METHODS:
        emits.append(Emit(flag="--speculative-num-steps", values=(str(steps),)))
        emits.append(Emit(flag="--speculative-eagle-topk", values=("1",), comment="a chain, as vLLM drafts"))
    emits.append(Emit(flag="--speculative-num-draft-tokens", values=(str(width),), comment=rule))
    return Carry("converted", tuple(emits), rule=rule)


@writer("tree_width")
def write_tree_width(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM drafts chains: a tree becomes one of the same depth."""
    if emitted_method(context) is None:
        return _follows_method(context)
    if setting.value == 1:
        return Carry("built-in", reason="vLLM drafts a chain")
    return Carry(
        "lost",
        reason=f"vLLM {context.release} drafts chains: the tree of {setting.text()} branches becomes a chain "
        "of its depth, with a shorter accepted length; tune the draft tokens again",
    )


@writer("draft_model")
def write_draft_model(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The draft's path, where the rendered method takes one."""
    place = context.place(row)
    method = emitted_method(context)
    if method is None or place is None:
        return _follows_method(context)
    if target_speculation(context).replaced:
        return Carry("unsafe", reason="MTP is rendered in its place and needs no draft model", follows=True)
    if method == "ngram":
        return Carry("inert", reason="n-gram drafts need no model")
    same = setting.value == context.value("model.path")
    if method == "mtp" and same:
        return Carry("built-in", reason="MTP drafts with the model itself")
    return Carry("carried", (as_given(place, setting),))


@writer("with_speculation")
def write_with_speculation(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A key that only means something beside a rendered method."""
    from portkit.conversions.generic import write_same

    if emitted_method(context) is None:
        return _follows_method(context)
    return write_same(row, setting, context)


@writer("lossless_threshold")
def write_threshold(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """An acceptance threshold of 1.0 is lossless and needs nothing; any other changes the outputs."""
    if setting.value == 1.0:
        return Carry("built-in", reason="1.0 is lossless acceptance, which vLLM always does")
    return Carry("lost", reason=f"{setting.text()} trades output quality for speed; vLLM accepts losslessly only")


@writer("draft_quantization")
def write_draft_quantization(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang's `unquant` is vLLM's silence."""
    if setting.value == "unquant":
        return Carry("built-in", reason="vLLM leaves a draft unquantized unless told")
    return write_with_speculation(row, setting, context)


@writer("ngram_depth")
def write_ngram_depth(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The tree depth of suffix decoding; with ngram, which has no trie, it bounds the match instead."""
    method = emitted_method(context)
    if method == "suffix":
        place = row.side("vllm").places[0]
    elif method == "ngram" and context.value("speculation.ngram_max_match") is None:
        place = rows()["speculation.ngram_max_match"].vllm.places[0]
    else:
        return _follows_method(context)
    reason = "a trie's depth is not quite a match length"
    return Carry("approximate", (emit_at(place, setting.value),), reason=reason)

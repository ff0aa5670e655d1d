"""Writes a model folder small enough for any machine; run by the engine's own Python, which has `tokenizers`.

python tiny_model.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tokenizers import Tokenizer  # type: ignore[import-not-found]
from tokenizers.models import WordLevel  # type: ignore[import-not-found]
from tokenizers.pre_tokenizers import Whitespace  # type: ignore[import-not-found]

_WORDS = 1024
_CONFIG = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "vocab_size": _WORDS,
    "max_position_embeddings": 2048,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "dtype": "bfloat16",
    "bos_token_id": 0,
    "eos_token_id": 1,
}


def write(folder: Path) -> None:
    """config.json and a tokenizer of one word a token; weights are the engine's to make up."""
    folder.mkdir(parents=True, exist_ok=True)
    words = {f"w{index}": index for index in range(_WORDS)}
    tokenizer = Tokenizer(WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(_CONFIG), encoding="utf-8")
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "w0", "eos_token": "w1"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))

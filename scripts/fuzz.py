"""Damage files at random, and see that each is read, or refused in a sentence.

``python -m scripts.fuzz --seed 1 --n 500``: so many of each kind of table. What goes wrong is
printed with its own seed: ``--seed`` is the millions of it, and names the same damage anywhere.
"""

import argparse
import io
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable

import numpy as np

from rulekit.data import Table, load_sample, read_table
from rulekit.exceptions import RulekitError

SECONDS = 20.0  # of processor time that one file may take
WORDS = (
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"\r", b"\n\n", b",,,", b";", b"\t", b"=1+1"),
    *(b"1e999", b"-inf", b"nan", b"2024-02-30", b"9" * 40, b"x" * 20_000, "\u202e".encode()),
    *(b"</c>", b"&lt;", b"<!ENTITY a 'b'>", b"[" * 2_000, b"{}", b"null", b"PAR1", b"PK\x03\x04"),
)
Damage = Callable[[np.random.Generator], bytes]


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Damage a file in one to three places: bytes changed, cut, doubled, moved, put in between."""
    result = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        here, there = sorted(int(k) for k in rng.integers(0, len(result) + 1, 2))
        short = min(there, here + 200)
        kind = rng.integers(6)
        if kind == 0:
            for at in rng.integers(0, max(1, len(result)), int(rng.integers(1, 20))):
                result[at : at + 1] = bytes([int(rng.integers(256))])
        elif kind == 1:
            del result[here:short]
        elif kind == 2:
            del result[there:]
        elif kind == 3:
            result[here:here] = result[here:short]
        elif kind == 4:
            result[here:short] = bytes(rng.permutation(np.frombuffer(result[here:short], np.uint8)))
        else:
            result[here:here] = WORDS[int(rng.integers(len(WORDS)))]
    return bytes(result)


def damaged_inside(content: bytes, rng: np.random.Generator) -> bytes:
    """Damage one file of a zip archive, three times of four; else the archive."""
    if rng.integers(4) == 0:
        return damaged(content, rng)
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        hurt = old.namelist()[int(rng.integers(len(old.namelist())))]
        for name in old.namelist():
            inside = old.read(name)
            new.writestr(name, damaged(inside, rng) if name == hurt else inside)
    return file.getvalue()


def tables() -> dict[str, Damage]:
    """Return what makes a damaged file of each kind."""
    frame = load_sample("credit").frame.head(60)
    text, book, columns = frame.to_csv(index=False).encode(), io.BytesIO(), io.BytesIO()
    frame.to_excel(book, index=False)
    frame.to_parquet(columns)
    return {
        "csv": lambda rng: damaged(text, rng),
        "xlsx": lambda rng: damaged_inside(book.getvalue(), rng),
        "parquet": lambda rng: damaged(columns.getvalue(), rng),
    }


def read(content: bytes) -> str:
    """Read a file as a person's upload is read; say how it ended."""
    try:
        table = read_table(content, name="file")
    except RulekitError as error:
        return "refused" if str(error).strip() else "refused without a word"
    return "read" if isinstance(table, Table) and table.n_rows > 0 else "read as nothing"


def run(seed: int, n: int) -> tuple[Counter[str], list[str]]:
    """Damage so many files of each kind; count how that ended, and list what must not be."""
    ends: Counter[str] = Counter()
    wrong = []
    kinds = tables()
    for case_seed in range(seed * 1_000_000, seed * 1_000_000 + n):
        for kind, damage in kinds.items():
            begun = time.process_time()
            try:
                end = read(damage(np.random.default_rng(case_seed)))
            except Exception as error:
                end = f"{type(error).__name__}: {error}"
            if time.process_time() - begun > SECONDS:
                end = f"{end}, after more than {SECONDS:g} s"
            ends[f"{kind} {end}" if end in ("read", "refused") else "wrong"] += 1
            if end not in ("read", "refused"):
                wrong.append(f"{kind}, seed {case_seed}: {end}"[:300])
    return ends, wrong


def main() -> int:
    """Print how many files were read, refused, and wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=500)
    requested = parser.parse_args()
    ends, wrong = run(requested.seed, requested.n)
    print(*sorted(f"{end}: {n}" for end, n in ends.items()), *wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

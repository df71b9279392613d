"""The rows of the data set, and which of them are held out. The split is that of `assay bax split`."""

import json
from pathlib import Path

SPLIT_BY = ("scenario", "framework", "random", "none")


def read_rows(path):
    """The rows of a `.parquet` or `.jsonl` file that `assay bax export --out` wrote, in their order."""
    path = Path(path)
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    elif path.suffix == ".parquet":
        import pyarrow.parquet

        # One file by name: never a directory tree with columns in its paths.
        rows = pyarrow.parquet.ParquetFile(path).read().to_pylist()
    else:
        raise ValueError(f"dataset_path: give a file that ends in .parquet or .jsonl, not {path.name}")
    if not rows or not all({"scenario_id", "env_id", "env_language"} <= row.keys() for row in rows):
        raise ValueError(f"dataset_path: {path} has no rows of `assay bax export`")
    return rows


def select_rows(rows, languages=None, scenarios=None, envs=None):
    """The rows that the filters let through; None lets everything through."""
    filters = (("languages", "env_language", languages), ("scenarios", "scenario_id", scenarios), ("envs", "env_id", envs))
    selected = rows
    for argument, column, names in filters:
        check_names(argument, column, names, rows)
        if names is not None:
            selected = [row for row in selected if row[column] in names]
    if not selected:
        raise ValueError("languages, scenarios, envs: together they leave no row")
    return selected


def split_rows(rows, split_by="scenario", test_size=0.2, split_seed=42, test_scenarios=None, test_envs=None, num_examples=-1):
    """Parts rows into those to train on and those to evaluate on. `num_examples` takes the first of each side."""
    if split_by not in SPLIT_BY:
        raise ValueError(f"split_by: give one of {', '.join(SPLIT_BY)}")
    if isinstance(test_size, bool) or not isinstance(test_size, (int, float)) or not 0 < test_size < 1:
        raise ValueError("test_size: give a number between 0 and 1, such as 0.2")
    if not whole(split_seed) or not 0 <= split_seed <= 0xFFFFFFFF:
        raise ValueError("split_seed: give a whole number from 0 to 4294967295")
    if not whole(num_examples) or (num_examples < 1 and num_examples != -1):
        raise ValueError("num_examples: give a whole number of at least 1, or -1 for all")
    if test_scenarios is None and test_envs is None:
        train, held = by_group(rows, split_by, test_size, split_seed)
    else:
        train, held = by_name(rows, test_scenarios, test_envs)
    return (train, held) if num_examples == -1 else (train[:num_examples], held[:num_examples])


def by_name(rows, scenarios, envs):
    check_names("test_scenarios", "scenario_id", scenarios)
    check_names("test_envs", "env_id", envs)
    train, held = part(rows, lambda row: row["scenario_id"] in (scenarios or []) or row["env_id"] in (envs or []))
    if not held:
        raise ValueError("test_scenarios, test_envs: the other arguments leave none of the rows to hold out")
    if not train:
        raise ValueError("test_scenarios, test_envs: all rows are held out, and none is left to train on")
    return train, held


def by_group(rows, split_by, test_size, split_seed):
    def group_of(row):
        names = {"scenario": row["scenario_id"], "framework": row["env_id"]}
        return names.get(split_by, f"{row['scenario_id']} {row['env_id']}")

    groups = {group_of(row) for row in rows}
    if split_by == "none" or len(groups) == 1:
        return list(rows), list(rows)
    held = held_out(groups, test_size, split_seed)
    return part(rows, lambda row: group_of(row) in held)


def held_out(groups, test_size, seed):
    """Fisher and Yates' shuffle of the sorted names, with numbers from mulberry32; the first of them are held out."""
    groups, state = sorted(groups), seed
    for last in range(len(groups) - 1, 0, -1):
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ state >> 15) * (state | 1)) & 0xFFFFFFFF
        t ^= (t + (t ^ t >> 7) * (t | 61)) & 0xFFFFFFFF
        other = ((t ^ t >> 14) * (last + 1)) >> 32
        groups[last], groups[other] = groups[other], groups[last]
    size = int(test_size * len(groups) + 0.5)
    return set(groups[: min(len(groups) - 1, max(1, size))])


def part(rows, held):
    return [row for row in rows if not held(row)], [row for row in rows if held(row)]


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_names(argument, column, names, rows=None):
    """Raises ValueError for what is no list of names, and where rows are given for a name that none of them has."""
    if names is None:
        return
    if isinstance(names, str) or not all(isinstance(name, str) for name in names) or len(names) == 0:
        raise ValueError(f"{argument}: give a list of names, or null for all")
    known = names if rows is None else sorted({row[column] for row in rows})
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise ValueError(f"{argument}: no row has {unknown[:100]!r}. There are: {', '.join(known)}.")

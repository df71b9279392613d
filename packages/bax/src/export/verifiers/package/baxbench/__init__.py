"""Backends as tasks for `verifiers`: a model writes one, `assay bax grade` grades it."""

import asyncio
import math
import os
from pathlib import Path

from datasets import Dataset

try:
    import verifiers.legacy as vf  # from 0.3 on
except ImportError:
    import verifiers as vf

from .grader import RATES, Grader, GradingFailed, find_assay
from .rows import read_rows, select_rows, split_rows

DATA = Path(__file__).parent / "data" / "baxbench.parquet"
SPEC_TYPES = ("openapi", "text")
SAFETY_PROMPTS = ("none", "generic", "specific")
PROFILES = ("strict", "upstream")


class BaxRubric(vf.Rubric):
    """
    Grades each rollout once, before its reward is asked for: an exception in a reward function would become the reward 0. Without a
    grade the rollout has an error that is worth another try (`InfraError`), and every number of it is NaN.
    """

    def __init__(self, grader):
        super().__init__(funcs=[reward_function(name) for name in RATES], weights=[1.0, 0.0, 0.0])
        self.grader = grader

    async def score_rollout(self, state):
        if await self.graded(state):
            await super().score_rollout(state)
        else:
            unknown(state)

    async def score_group(self, states):
        graded = await asyncio.gather(*(self.graded(state) for state in states))
        for state, done in zip(states, graded):
            if not done:
                unknown(state)
        known = [state for state, done in zip(states, graded) if done]
        if known:
            await super().score_group(known)

    async def graded(self, state):
        """Whether the state holds a grade now. A rollout that ended by an error has no answer to grade."""
        if state.get("error") is not None:
            return False
        if "grade" in state:
            return True
        info = state["info"]
        try:
            state["grade"] = await self.grader.grade(info["scenario"], info["framework"], self.parser.parse_answer(state["completion"]) or "")
        except GradingFailed as error:
            state["error"] = vf.InfraError(str(error))
            return False
        return True


def reward_function(name):
    async def rate(state, **_):
        return state["grade"][name]

    rate.__name__ = name
    return rate


def unknown(state):
    state["reward"] = math.nan
    # of no use to a trainer, but neither an encouragement nor the contrary
    state["advantage"] = 0.0
    state["metrics"] = {name: math.nan for name in RATES}


def load_environment(
    dataset_path=None,
    spec_type="openapi",
    safety_prompt="none",
    languages=("Python",),
    scenarios=None,
    envs=None,
    num_examples=-1,
    split_by="scenario",
    test_size=0.2,
    split_seed=42,
    test_scenarios=None,
    test_envs=None,
    sandbox_timeout_minutes=30,
    server_start_timeout=60,
    test_timeout=120,
    install_requirements=False,
    system_prompt="You are an experienced full-stack developer",
    profile="strict",
    assay=None,
    grades_at_once=None,
):
    """
    Trains on one side of the split and evaluates on the other. `languages`, `scenarios` and `envs` of None are all. `grades_at_once` is by
    default half of the processors, as a grade runs tests side by side by itself. Raises ValueError for a bad argument, and
    FileNotFoundError where there is no `assay`.
    """
    one_of("spec_type", spec_type, SPEC_TYPES)
    one_of("safety_prompt", safety_prompt, SAFETY_PROMPTS)
    one_of("profile", profile, PROFILES)
    if install_requirements is not False:
        raise ValueError("install_requirements: only false. Packages lie in layers that are pinned by hash, and nothing is installed for an answer")
    at_once = max(1, (os.cpu_count() or 1) // 2) if grades_at_once is None else grades_at_once
    limits = {"sandbox_timeout_minutes": sandbox_timeout_minutes, "server_start_timeout": server_start_timeout, "test_timeout": test_timeout, "grades_at_once": at_once}
    for name, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int if name == "grades_at_once" else (int, float)) or not 0 < value < math.inf:
            raise ValueError(f"{name}: give a number above 0")
    rows = select_rows(read_rows(dataset_path or DATA), languages, scenarios, envs)
    train, held = split_rows(rows, split_by, test_size, split_seed, test_scenarios, test_envs, num_examples)
    words = ["--server-start-timeout", str(server_start_timeout), "--test-timeout", str(test_timeout), "--profile", profile]
    grader = Grader(find_assay(assay), words, sandbox_timeout_minutes * 60, at_once)
    column = f"prompt_{spec_type}_{safety_prompt}"
    return vf.SingleTurnEnv(dataset=dataset(train, column), eval_dataset=dataset(held, column), system_prompt=system_prompt, rubric=BaxRubric(grader))


def dataset(rows, column):
    return Dataset.from_list(
        [
            {"question": row[column], "answer": "", "info": {"scenario": row["scenario_id"], "framework": row["env_id"], "language": row["env_language"]}}
            for row in rows
        ]
    )


def one_of(argument, value, known):
    if value not in known:
        raise ValueError(f"{argument}: give one of {', '.join(known)}")

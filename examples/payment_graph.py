"""A payment graph with alerts, drawn at random; what is planted is told in accounts.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BAD, GOOD = "laundering", "innocent"
GANGS, SHOPS = 6, 150
PATTERNS = ("ring", "smurfing", "circle")
SHARES = {BAD: (0.5, 0.5, 0.0), GOOD: (0.2, 0.25, 0.55)}  # of the patterns


@dataclass
class Bank:
    """Accounts, payments and alerts.

    Args:
        people: Accounts of people.
        alerts: How many; one in ten is laundering.
        rng: Where chance comes from.
    """

    people: int
    alerts: int
    rng: np.random.Generator
    payments: list[tuple[int, int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng, people = self.rng, self.people
        self.home = rng.integers(people // 90, size=people)
        self.mules = rng.permutation(people)[: self.alerts * 6 // 10]
        self.gang = np.full(people, -1)
        self.gang[self.mules] = rng.integers(GANGS, size=len(self.mules))
        self.at_home = [np.flatnonzero(self.home == h) for h in range(people // 90)]
        self.in_gang = [np.flatnonzero(self.gang == g) for g in range(GANGS)]

    def pay(self, payer: int, payee: int, least: float, most: float) -> None:
        """One payment."""
        amount = np.exp(self.rng.uniform(np.log(least), np.log(most)))
        self.payments.append((int(payer), int(payee), round(float(amount), 2)))

    def live(self) -> None:
        """Everyday payments: shops, wages, friends.

        Mules shop less and pay mostly others of their gang, so that they have no more payments than
        anybody else when those of the alerts have come.
        """
        rng, firms = self.rng, self.people // 60
        liked = 1 / np.arange(1, SHOPS + 1) ** 0.8
        for person in range(self.people):
            mule = self.gang[person] >= 0
            visits, friendly = rng.integers(1, 3) if mule else rng.integers(2, 6), 2 - mule
            shops = rng.choice(SHOPS, visits, p=liked / liked.sum())
            for shop in sorted(set(shops.tolist())):
                self.pay(person, self.people + shop, 20, 900)
            self.pay(self.people + SHOPS + rng.integers(firms), person, 1500, 5000)
            for _ in range(friendly + rng.integers(-1, 2)):
                of_gang = mule and rng.random() < 0.9
                friends = self.in_gang[self.gang[person]] if of_gang else self._near(person)
                friend = rng.choice(friends)
                if friend != person:
                    self.pay(person, friend, 20, 3000)

    def _near(self, person: int) -> np.ndarray:
        return self.at_home[self.home[person]]

    def alert(self, kind: str) -> list[int]:
        """Accounts that move money among themselves."""
        rng, bad = self.rng, kind == BAD
        pools = self.in_gang if bad else self.at_home
        pool = pools[rng.integers(len(pools))]
        if not bad and rng.random() < 0.25:
            pool = np.arange(self.people)
        who = rng.choice(pool, rng.integers(6, 13), replace=False)
        if bad:
            other = rng.random(len(who)) < 0.25
            who[other] = rng.integers(self.people, size=other.sum())
        elif rng.random() < 0.3:
            who[0] = rng.choice(self.mules)
        members = list(dict.fromkeys(who.tolist()))
        for payer, payee in self._pattern(members, str(rng.choice(PATTERNS, p=SHARES[kind]))):
            self.pay(payer, payee, 800, 9500)
        return members

    def _pattern(self, who: list[int], kind: str) -> list[tuple[int, int]]:
        """Who pays whom."""
        if kind == "ring":
            return list(pairwise([*who, who[0]]))
        if kind == "smurfing":
            return [pair for mule in who[2:] for pair in ((who[0], mule), (mule, who[1]))]
        tree = [(who[i], who[self.rng.integers(i)]) for i in range(1, len(who))]
        more = [self.rng.choice(who, 2, replace=False) for _ in range(self.rng.integers(4))]
        return tree + [(int(a), int(b)) for a, b in more]


def write_bank(folder: Path, *, people: int, alerts: int, seed: int) -> None:
    """Draw a bank and write its three tables."""
    bank = Bank(people, alerts, np.random.default_rng(seed))
    bank.live()
    kinds = bank.rng.permutation([BAD] * (alerts // 10) + [GOOD] * (alerts - alerts // 10)).tolist()
    who = [bank.alert(kind) for kind in kinds]
    accounts = people + SHOPS + people // 60
    ids = np.array([f"AC{n:06d}" for n in bank.rng.permutation(accounts)])  # order says nothing
    payer, payee, amount = zip(*bank.payments, strict=True)
    names = [f"alert-{n:04d}" for n in range(alerts)]
    tables = {
        "payments": {"payer": ids[list(payer)], "payee": ids[list(payee)], "amount": amount},
        "alerts": {"alert": np.repeat(names, [len(members) for members in who]),
                   "account": ids[np.concatenate(who)]},
        "verdicts": {"alert": names, "verdict": kinds},
    }  # fmt: skip
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")

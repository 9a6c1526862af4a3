#!/usr/bin/env python3
"""Reference digits for the statistics, by scipy and statsmodels.

    digits.py                 prints the cases as JSON, one a line
    digits.py --check FILE    computes them anew and ends with 1 where the file says something else

The committed digits.json is what tests/reference.rs holds the program against; a case is what is computed, its input, what
comes out, and, where chance has a part in it, how far apart two results may lie.
"""

import argparse
import json
import math
import sys
from fractions import Fraction

import numpy as np
from scipy import optimize, special, stats
from statsmodels.stats.contingency_tables import StratifiedTable, mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

Z = float(stats.norm.ppf(0.975))

# Two versions of the libraries may differ in the last digits.
CLOSE = 1e-10


def wilson(successes, episodes):
    return proportion_confint(successes, episodes, method="wilson")


def newcombe(first, episodes, second, others):
    return confint_proportions_2indep(first, episodes, second, others, method="newcomb")


def stratified_difference(strata):
    """Mantel-Haenszel weights; the distances to Newcombe's ends add up like independent errors."""
    weights = np.array([n * m / (n + m) for _, n, _, m in strata])
    weights = weights / weights.sum()
    values = np.array([k / n - l / m for k, n, l, m in strata])
    ends = np.array([newcombe(*stratum) for stratum in strata])
    value = float(weights @ values)
    below = math.sqrt(((weights * (values - ends[:, 0])) ** 2).sum())
    above = math.sqrt(((weights * (ends[:, 1] - values)) ** 2).sum())
    return value, max(-1.0, value - below), min(1.0, value + above)


def stratified_mean(samples):
    """Strata that weigh the same; the distances to Wilson's ends add up like independent errors."""
    rates = np.array([k / n for k, n in samples])
    ends = np.array([wilson(k, n) for k, n in samples])
    value = float(rates.mean())
    below = math.sqrt(((rates - ends[:, 0]) ** 2).sum()) / len(samples)
    above = math.sqrt(((ends[:, 1] - rates) ** 2).sum()) / len(samples)
    return value, max(0.0, value - below), min(1.0, value + above)


def cochran_mantel_haenszel(strata):
    tables = [np.array([[k, n - k], [l, m - l]]) for k, n, l, m in strata]
    return [StratifiedTable(tables).test_null_odds(correction=False).pvalue]


def paired_p(first_only, second_only):
    discordant, rarer = first_only + second_only, min(first_only, second_only)
    if discordant == 0:
        return 1.0, 1.0
    exact = mcnemar([[0, first_only], [second_only, 0]], exact=True).pvalue
    if discordant > 2000:
        middle = 2 * stats.binom.cdf(rarer, discordant, 0.5) - stats.binom.pmf(rarer, discordant, 0.5)
        return exact, min(1.0, middle)
    tail = sum(Fraction(math.comb(discordant, k), 2**discordant) for k in range(rarer + 1))
    return exact, float(min(Fraction(1), 2 * tail - Fraction(math.comb(discordant, rarer), 2**discordant)))


def tango(first_only, second_only, pairs, z):
    """Tango's interval: where the score statistic of the restricted likelihood is z on either side."""
    b, c, n = first_only, second_only, pairs

    def score(difference):
        linear = (2 * n - b + c) * difference - b - c
        root = math.sqrt(max(0.0, linear**2 + 8 * n * c * difference * (1 - difference)))
        q = max(0.0, (root - linear) / (4 * n))
        variance = n * (2 * q + difference * (1 - difference))
        check(q, difference)
        return (b - c - n * difference) / math.sqrt(max(variance, 1e-300))

    def check(q, difference):
        """The restricted estimate against a search for the largest likelihood."""
        if abs(difference) > 0.999:
            return

        def loss(q):
            likelihood = special.xlogy(b, q + difference) + special.xlogy(c, q)
            return -(likelihood + special.xlogy(n - b - c, 1 - 2 * q - difference))

        bounds = (max(0.0, -difference), (1 - difference) / 2)
        found = optimize.minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        assert abs(loss(found) - loss(min(max(q, bounds[0] + 1e-15), bounds[1] - 1e-15))) < 1e-5, (found, q)

    value = (b - c) / n
    find = lambda low, high, sign: optimize.brentq(lambda d: score(d) - sign * z, low, high, xtol=1e-16, rtol=1e-15)
    low = -1.0 if c == n else find(-1 + 1e-13, value, 1)
    high = 1.0 if b == n else find(value, 1 - 1e-13, -1)
    return value, low, high


def any_time(successes, episodes):
    """Robbins' uniform mixture: all rates with P(k of n) > 0.05 / (n + 1)."""
    k, n = successes, episodes
    excess = lambda p: stats.binom.logpmf(k, n, p) - math.log(0.05 / (n + 1))
    find = lambda low, high: optimize.brentq(excess, low, high, xtol=1e-16, rtol=1e-15)
    low = 0.0 if k == 0 else find(1e-300, k / n)
    high = 1.0 if k == n else find(max(k / n, 1e-300), 1 - 1e-16)
    return low, high


def t_interval(values):
    spread = float(np.std(values, ddof=1))
    low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    return float(np.mean(values)), spread, low, high


def welch(first, second):
    test = stats.ttest_ind(first, second, equal_var=False)
    interval = test.confidence_interval(0.95)
    return float(np.mean(first) - np.mean(second)), interval.low, interval.high, test.pvalue, test.df


def cluster_bootstrap(rates):
    random = np.random.Generator(np.random.PCG64(7))
    found = stats.bootstrap(
        (np.array(rates),), np.mean, n_resamples=200_000, method="percentile", batch=10_000, rng=random
    )
    return found.confidence_interval.low, found.confidence_interval.high


def paired_bootstrap(differences):
    """The percentile interval, with the tails that make it as wide as Student's t for few pairs (Hesterberg 2015)."""
    n = len(differences)
    tail = stats.norm.cdf(-math.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    random = np.random.Generator(np.random.PCG64(11))
    found = stats.bootstrap(
        (np.array(differences),),
        np.mean,
        n_resamples=200_000,
        confidence_level=1 - 2 * tail,
        method="percentile",
        batch=10_000,
        rng=random,
    )
    return found.confidence_interval.low, found.confidence_interval.high


def cases():
    for inputs in [[41, 50], [0, 10], [10, 10], [180, 200], [1, 3], [812, 1000]]:
        yield "wilson", inputs, wilson(*inputs)
    for inputs in [[41, 50], [0, 20], [10, 10], [180, 200], [1, 3], [812, 1000]]:
        yield "any_time", inputs, any_time(*inputs)
    for inputs in [[56, 70, 48, 80], [9, 10, 3, 10], [10, 10, 0, 20], [0, 10, 0, 10], [336, 500, 305, 500]]:
        yield "newcombe", inputs, newcombe(*inputs)
    strata = [[[92, 100, 81, 100]], [[19, 20, 170, 200], [60, 200, 4, 20]], [[5, 10, 6, 12], [0, 10, 1, 9], [7, 8, 8, 8]]]
    for inputs in strata:
        yield "stratified_difference", inputs, stratified_difference(inputs)
        yield "cochran_mantel_haenszel", inputs, cochran_mantel_haenszel(inputs)
    for inputs in [[[41, 50]], [[41, 50], [33, 50], [10, 50]], [[5, 5], [100, 200], [0, 20]]]:
        yield "stratified_mean", inputs, stratified_mean(inputs)
    pairs = [[12, 2, 50], [1, 7, 21], [5, 0, 100], [0, 0, 50], [36, 5, 500], [9, 0, 9], [0, 4, 4], [1200, 1000, 5000]]
    for b, c, n in pairs:
        yield "paired_p", [b, c], paired_p(b, c)
        yield "tango", [b, c, n, Z], tango(b, c, n, Z)
    yield "tango", [12, 2, 50, float(stats.norm.ppf(1 - 0.025 / 10))], tango(12, 2, 50, float(stats.norm.ppf(1 - 0.025 / 10)))
    for z in [0.0, 0.5, Z, 5.0, 9.0]:
        yield "normal_p", [z], [2 * stats.norm.sf(z)]
    for inputs in [[0.2, 3, 4], [0.5, 0.5, 0.5], [0.9, 30, 7], [0.05, 1, 20], [0.7, 140, 60], [0.999, 2, 9]]:
        yield "beta", inputs, [special.betainc(inputs[1], inputs[2], inputs[0])]
    for freedom in [1, 2, 3, 4, 9, 29, 3.928263988522, 250]:
        yield "t_quantile", [freedom], [stats.t.ppf(0.975, freedom)]
    for inputs in [[0.62, 0.7, 0.58], [0.96, 1.0, 0.98, 1.0], [0.16, 0.5, 0.84], [0.55, 0.85, 0.7, 0.45, 0.75]]:
        yield "t_interval", inputs, t_interval(inputs)
    for inputs in [[[0.62, 0.7, 0.58], [0.48, 0.55, 0.41]], [[0.9, 0.8], [0.1, 0.3, 0.2, 0.25]]]:
        yield "welch", inputs, welch(*inputs)
    for inputs in [[0.01, 0.04, 0.03, 0.005, 0.5], [0.02, 0.02, 0.9], [1.0], []]:
        yield "holm", inputs, multipletests(inputs, method="holm")[1] if inputs else []
    rates = [0.80, 0.82, 0.78, 0.90, 0.70, 0.88, 0.84, 0.76, 0.82, 0.72, 0.66, 0.94]
    yield "cluster_bootstrap", rates, cluster_bootstrap(rates), 0.004
    differences = [0.4, -0.1, 0.9, 0.3, 0.0, 1.2, -0.6, 0.5, 0.2, 0.8, 0.1, -0.3, 0.7, 0.0, 0.0, 1.9, -0.2, 0.4, 0.6, -0.8, 0.3, 0.0]
    # An end of 9999 resamples is off by a fifth of the mean's standard error at the most.
    for inputs in [differences, [round(math.sin(3 * k) + 0.2, 6) for k in range(30)]]:
        yield "paired_bootstrap", inputs, paired_bootstrap(inputs), 0.2 * float(stats.sem(inputs))


def written():
    for name, inputs, outputs, *within in cases():
        case = {"what": name, "in": inputs, "out": [float(number) for number in outputs]}
        yield {**case, "within": within[0]} if within else case


def check(path):
    with open(path, encoding="utf-8") as file:
        committed = json.load(file)
    computed = list(written())
    wrong = [] if len(committed) == len(computed) else [f"{len(committed)} cases in the file, {len(computed)} computed"]
    for told, found in zip(committed, computed):
        within = told.get("within", CLOSE)
        near = lambda a, b: abs(a - b) <= within * max(1.0, abs(a), abs(b))
        same = told["what"] == found["what"] and told["in"] == found["in"] and len(told["out"]) == len(found["out"])
        if not same or not all(near(a, b) for a, b in zip(told["out"], found["out"])):
            wrong.append(f"{told} in the file, {found} computed")
    print("\n".join(wrong) or f"{len(computed)} cases agree")
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="FILE")
    args = parser.parse_args()
    if args.check:
        return int(check(args.check))
    print("[\n" + ",\n".join(json.dumps(case) for case in written()) + "\n]")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Numbers, counts and lists as people read them: one function a thing, for every layer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

MINUS = "\N{MINUS SIGN}"
# SHA-256 as tables and runs are named by it, and as much of it as is told.
DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SMALLEST = 1e-16  # of a p-value that means anything in double precision
ROUNDING = 1e-12  # of a spread: values that are nearer to 0 are 0 but for rounding
LEAST_SPREAD = 1e-4  # with which a number is written out: 0.00012
LEAST, MOST = 1e-3, 1e7  # a number in a table that is written out
WRITTEN_OUT = 1e-5  # a standard deviation behind a mean
UNSEEN = 1e-4  # of a number: beside it what is smaller would have more digits than it
# Values of choices that a textbook does not write as the code does. Their words, underscores as
# spaces, are the rule; what stands here is an abbreviation, a name, or has a hyphen.
SPELLED = {
    "aic": "AIC", "bic": "BIC", "bmi": "BMI", "brier_score": "Brier score",
    "cd": "coordinate descent", "cfs": "CFS",
    "cg": "conjugate gradients", "cross_entropy": "cross-entropy", "cv": "cross-validation",
    "crammer_singer": "Crammer-Singer", "dna": "DNA", "dot": "dot product", "em": "EM",
    "eigh": "eigenvalues", "epsilon_greedy": "ε-greedy", "epsilon_insensitive": "ε-insensitive",
    "expected_sarsa": "expected SARSA", "fista": "FISTA",
    "fletcher_reeves": "Fletcher-Reeves", "frozen_lake_8x8": "frozen lake, 8 × 8",
    "gauss_seidel": "Gauss-Seidel", "gcv": "GCV", "hestenes_stiefel": "Hestenes-Stiefel",
    "iqr": "IQR", "kmeans": "k-means",
    "knn": "k nearest neighbours", "kth": "k-th", "l1": "L1", "l2": "L2", "lar": "LAR",
    "ledoit_wolf": "Ledoit-Wolf", "left_to_right": "left-to-right", "loo": "leave-one-out",
    "mackey glass": "Mackey-Glass", "mad": "MAD", "mcmc": "MCMC", "minibatch": "mini-batch",
    "monte_carlo": "Monte Carlo",
    "ml": "maximum likelihood", "n-1": f"n {MINUS} 1", "narma": "NARMA", "nndsvda": "NNDSVDa",
    "one_hot": "one-hot", "onehot": "one-hot", "ovo": "one-vs-one", "ovr": "one-vs-rest",
    "pca": "PCA", "plug_in": "plug-in", "plus_plus": "k-means++", "polak_ribiere": "Polak-Ribière",
    "q_learning": "Q-learning",
    "qr": "QR", "radviz": "RadViz", "reml": "REML", "rmse": "RMSE", "s curve": "S curve",
    "sarsa": "SARSA", "sne": "SNE",
    "smoothed_newton": "smoothed Newton",
    "squared_epsilon_insensitive": "squared ε-insensitive", "std": "standard deviation",
    "svd": "SVD", "swiss roll": "Swiss roll", "tfidf": "TF-IDF", "tophat": "top-hat",
    "tsne": "t-SNE", "xor_features": "XOR features", "zca": "ZCA", "zscore": "z-score",
} | {
    name: name.capitalize()
    for name in (
        "ackley", "cholesky", "epanechnikov", "euclidean", "friedman", "gaussian", "griewank",
        "hamming", "himmelblau", "laplace", "mahalanobis", "pearson", "rastrigin", "rosenblatt",
        "rosenbrock", "schwefel", "spearman", "viterbi",
    )
} | {"gauss": "Gaussian"}  # fmt: skip

_RAISED_TEN = re.compile(r"(?<![\w.])\d(?:\.\d+)?e[+-]\d{2,3}\b")  # as Python writes it
_NEGATIVE = re.compile(r"(?<![^\s(\[=])-(?=\d)")
_FIRST = re.compile(r"(?:^|(?<=[.!?] ))(?:under|over)(?= \d)")  # of a sentence
_SET = re.compile(r"(\$[^$]*\$|`[^`]*`)")
_GROWTH = re.compile(r"\bO\((?:[^()$`]|\([^()$`]*\))+\)|\b\w\^\d\b")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_COMMANDS = ("log", "psi")  # words that LaTeX has as a name
DAY = 86_400.0  # seconds
MOST_DAYS = 365_250  # a thousand years; of more, and of what has no end, only this is told
SPANS = ((60.0, "min", 120), (3600.0, "h", 48))  # seconds, what they are called, how many at most
_MIRRORED = {"under": "over", "over": "under"}
MILLION = 6  # powers of ten, from which on numbers are written by theirs
TOLD = 40  # letters of a cell or a name in a sentence


def spaced(n: int) -> str:
    """A count with its thousands apart: 2,000."""
    return f"{n:,}"


def indefinite(noun: str) -> str:
    """A noun with its article, by its first letter: a slope, an acrobot."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def plural(n: int, one: str, many: str = "") -> str:
    """The form of a word after n of something: `plural(n, "is", "are")`."""
    return one if n == 1 else many or one + "s"


def count(n: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 row, 2,000 rows, 3 classes."""
    return f"{spaced(n)} {plural(n, one, many)}"


def listed(names: Iterable[object], most: float = 4) -> str:
    """Names in a sentence: `a, b and c`, with the number of those beyond `most`."""
    texts = [str(name) for name in names]
    if len(texts) > most:
        return ", ".join(texts[: int(most)]) + f" and {len(texts) - int(most)} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def in_sentence(title: str) -> str:
    """A title inside a sentence: small, unless it is an abbreviation."""
    return title if title[1:2].isupper() or title[1:2].isdigit() else title[:1].lower() + title[1:]


def spelled(option: str) -> str:
    """A value of a choice, or its word for an automatic one, as a textbook writes it: REML."""
    return SPELLED.get(option, option.replace("_", " "))


def rough(value: float, spread: float | None = None) -> str:
    """A number in a sentence: as exact as its standard deviation allows, else three digits.

    Its thousands stand apart, as those of a count and of a number in a table do: 1,011.
    """
    return _rounded(value, spread, apart_from=1000)


def rough_value(value: float, spread: float | None = None) -> str:
    """A value of a column in a sentence: as `rough`, but four digits stay together.

    They may be a year: 1987.
    """
    return _rounded(value, spread, apart_from=10_000)


def _rounded(value: float, spread: float | None, apart_from: int) -> str:
    if not math.isfinite(value):
        return "undefined"
    if spread is not None and abs(value) <= ROUNDING * spread:
        value = 0.0
    measure = spread if spread is not None and math.isfinite(spread) and spread > 0 else None
    size = measure if measure is not None else abs(value)
    # Rounding must not turn a deviation of 0.01 into one of 0.0099...
    digits = (1 if measure is not None else 2) - math.floor(math.log10(size or 1.0) + 1e-9)
    digits = min(max(digits, 0), 6)
    # Beside a spread, or as one, a small number has the digits that the spread allows.
    is_told = measure is not None and measure >= LEAST_SPREAD and round(abs(value), digits) > 0
    if value != 0 and not (LEAST_SPREAD if is_told else LEAST) <= abs(value) < 1e6:
        return _minus(_power(f"{value:.3g}"))
    apart = "," if round(abs(value), digits) >= apart_from else ""
    return _minus(f"{value:{apart}.{digits}f}")


def rough_beside(value: float, size: float) -> str:
    """A number in a sentence beside a larger one of its kind: 0 where nobody could see it there."""
    return rough(value if abs(value) > UNSEEN * abs(size) else 0.0)


def adding_up(parts: Sequence[float]) -> tuple[list[str], str]:
    """Parts and their sum as a sentence writes them: what is read adds up.

    Rounded one by one they often miss the sum by one in the last place, so they get a digit more
    until they do not, three at most; then the sum is that of the parts that are read.
    """
    whole = math.fsum(parts)
    size = max(map(abs, (whole, *parts)))
    least = min(max(2 - math.floor(math.log10(size or 1.0) + 1e-9), 0), 6)
    digits, total = least, whole
    for digits in range(least, least + 4):
        total = round(math.fsum(round(part, digits) for part in parts), digits)
        if total == round(whole, digits):
            break
    texts = [_minus(f"{round(value, digits) + 0.0:,.{digits}f}") for value in (*parts, total)]
    return texts[:-1], texts[-1]


def fixed(value: float, digits: int = 2) -> str:
    """A number with `digits` digits behind the point, as correlations are written."""
    return _minus(f"{value:.{digits}f}")


def number(value: float, digits: int = 3) -> str:
    """A number in a table, with as many digits as help; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if size and not LEAST <= size < MOST:
        return _minus(_power(f"{value:.{digits - 1}e}"))
    if size < 10:
        return fixed(value, digits)
    return _minus(f"{value:,.{max(0, digits - len(str(int(size))) + 1)}f}")


def deviation(sd: float, mean: float) -> str:
    """A standard deviation behind its mean, with the digits behind the point that this has.

    One that would be nothing with so few has a digit of its own: 0.996 ± 0.0004.
    """
    if not (LEAST <= abs(mean) < MOST and WRITTEN_OUT <= sd < MOST):  # one of them is a power
        return number(sd)
    digits = len(number(mean).partition(".")[2])
    return f"{sd:,.{max(digits, -math.floor(math.log10(2 * sd)))}f}"


def percent(share: float) -> str:
    """A share in per cent, whole unless that would round a part to nothing or to everything.

    What two decimals cannot tell from these lies under or over the last that they can; in words,
    for a picture would take < for the beginning of a tag, and Markdown > for a quotation.
    """
    if share < 0:
        text = percent(-share)
        side, _, end = text.partition(" ")
        return f"{_MIRRORED[side]} {MINUS}{end}" if side in _MIRRORED else MINUS + text
    value = 100 * share
    if 0 < value < 0.005:
        return "under 0.01 %"
    if 99.995 <= value < 100:
        return "over 99.99 %"
    if 0 < value < 0.05 or 99.95 <= value < 100:
        return f"{value:.2f} %"
    return f"{value:.1f} %" if 0 < value < 1 or 99 < value < 100 else f"{value:.0f} %"


def p_value(p: float) -> str:
    """The p-value of a test."""
    if p < SMALLEST:
        return f"p < {SMALLEST:.0e}"
    return f"p = {p:.2g}" if p < 0.995 else "p = 1"


def seconds(value: float) -> str:
    """A time span: 6 ms, 1.2 s, 3 min, 5 h, 40 days."""
    if value < 0.9995:  # what rounds to the next unit is told in it
        return f"{max(1, round(value * 1000))} ms"
    if value < 59.95:
        return f"{value:.1f} s"
    for size, unit, most in SPANS:
        if value < (most - 0.5) * size:
            return f"{value / size:.0f} {unit}"
    return f"{spaced(round(value / DAY))} days" if value < MOST_DAYS * DAY else "over 1,000 years"


def estimated(value: float) -> str:
    """A time span that is an estimate, in two digits: 750 ms, 22 s."""
    few = value if value > 60 else float(f"{value:.2g}")  # minutes are whole anyway
    return seconds(few).replace(".0 s", " s")


def with_formulas(text: str) -> str:
    """A text for Markdown with its orders of growth, O(n^2 p) and bare powers, set as formulas.

    What stands between dollars or backticks already is left as it is.
    """
    parts = _SET.split(text)
    parts[::2] = [_GROWTH.sub(_as_formula, part) for part in parts[::2]]
    return "".join(parts)


def _as_formula(match: re.Match[str]) -> str:
    """One order of growth in LaTeX, with its words upright and its powers in braces."""
    formula = re.sub(r"\^(\w+)", r"^{\1}", match[0])
    return "$" + _WORDS.sub(_upright, " ".join(formula.split())) + "$"


def _upright(match: re.Match[str]) -> str:
    word = match[0]
    return f"\\{word}" if word in _COMMANDS else rf"\text{{{word}}}"


def _power(text: str) -> str:
    """A number that Python wrote with an e, as people write it: 1.02e-07 as 1.02·10⁻⁷.

    Below a million with all its digits, as `rough` writes it: 1.16e+03 as 1,160.
    """
    digits, _, exponent = text.partition("e")
    if not exponent:
        return text
    if 0 <= int(exponent) < MILLION:
        return f"{float(text):,.0f}"
    power = "10" + str(int(exponent)).translate(RAISED)
    return power if digits == "1" else f"{digits}·{power}"


def _minus(text: str) -> str:
    """With the minus sign that ticks have, and none before a number rounded to nothing."""
    if not text.startswith("-"):
        return text
    return (MINUS if text.strip("-0.") else "") + text[1:]


def typeset(text: str) -> str:
    """A text with its numbers as people write them: 1.02·10⁻⁷ for 1.02e-07, −3 for -3.

    Hyphens within words, dates and ranges stay. A share of next to nothing may begin a sentence:
    "Under 0.01 % of them".
    """
    text = _FIRST.sub(lambda match: match[0].capitalize(), text)
    return _NEGATIVE.sub(MINUS, _RAISED_TEN.sub(lambda match: _power(match[0]), text))


def told(text: str, most: int = TOLD) -> str:
    """A cell or a name as it stands in a sentence: in one line, and not all of a long one."""
    bare = " ".join(text[: 4 * most].split())
    return bare if len(bare) <= most else f"{bare[:most]}…"


def shortened(texts: Sequence[str], longest: int) -> list[str]:
    """Texts beside each other, none longer than so many letters, cut about where they differ.

    Of long texts that begin alike the ends would be cut, and with them what sets them apart. A
    digest stands there by its beginning, as it does elsewhere.
    """
    texts = [DIGEST.sub(r"\1…", text) for text in texts]
    apart = {text for text in texts if text}
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*apart, strict=False))
    same = len(list(alike)) if len(apart) > 1 else 0
    begin = max(0, min(same - longest // 3, max(map(len, texts), default=0) - longest))
    return [_cut(text, begin, longest) for text in texts]


def _cut(text: str, begin: int, longest: int) -> str:
    rest = f"…{text[begin + 1 :]}" if begin and text else text
    return rest if len(rest) <= longest else f"{rest[: longest - 1]}…"

"""Sequences: what follows what, seen or hidden."""

ENTRIES: dict[str, dict[str, str]] = {
    "sequences": {
        "hmm": "mlcore.sequences.hmm:HMM",
        "markov_chain": "mlcore.sequences.markov_chain:MarkovChain",
    },
}

FUNCTION_MODULES = (
    "mlcore.sequences.chains",
    "mlcore.sequences.deviance",
    "mlcore.sequences.orders",
    "mlcore.sequences.recursions",
)

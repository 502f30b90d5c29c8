"""Labs: one idea each, with controls, numbers and what one should see.

They stand above the families and may use any of them.
"""

ENTRIES = {
    "lab": {
        "direction_explorer": "mlcore.labs.reduction.direction_explorer:DirectionExplorer",
        "noise_floor": "mlcore.labs.reduction.noise_floor:NoiseFloor",
        "impossible_distances": ("mlcore.labs.reduction.impossible_distances:ImpossibleDistances"),
        "bad_start": "mlcore.labs.clustering.bad_start:BadStartLab",
        "choose_k": "mlcore.labs.clustering.choose_k:ChooseKLab",
        "two_gaussians": "mlcore.labs.classification.two_gaussians:TwoGaussiansLab",
        "knn_complexity": "mlcore.labs.classification.knn_complexity:KNNComplexity",
        "polynomial_complexity": (
            "mlcore.labs.regression.polynomial_complexity:PolynomialComplexity"
        ),
        "ols_or_tls": "mlcore.labs.regression.ols_or_tls:OLSOrTLS",
        "gram_bench": "mlcore.labs.kernels.gram_bench:GramBench",
        "mercer": "mlcore.labs.kernels.mercer:MercerLab",
        "hoeffding": "mlcore.labs.decisions.hoeffding:HoeffdingLab",
        "contraction": "mlcore.labs.decisions.contraction:ContractionLab",
        "td_lambda": "mlcore.labs.decisions.td_lambda:TDLambdaLab",
        "sampled_backup_bias": ("mlcore.labs.decisions.sampled_backup_bias:SampledBackupBiasLab"),
        "trellis": "mlcore.labs.sequences.trellis:TrellisLab",
        "which_test": "mlcore.labs.evaluation.which_test:WhichTest",
        "tuning_optimism": "mlcore.labs.evaluation.tuning_optimism:TuningOptimism",
        "scaling_lab": "mlcore.labs.regression.scaling_lab:ScalingLab",
        "students": "mlcore.labs.classification.students:StudentsLab",
        "lift": "mlcore.labs.kernels.lift:LiftLab",
        "loss_matters": "mlcore.labs.classification.loss_matters:LossMattersLab",
        "units_and_neighbours": "mlcore.labs.data.units_and_neighbours:UnitsAndNeighbours",
        "leak_switch": "mlcore.labs.preparation.leak_switch:LeakSwitch",
        "sorted_file": "mlcore.labs.data.sorted_file:SortedFileLab",
        "number_or_name": "mlcore.labs.preparation.number_or_name:NumberOrNameLab",
        "missing_values": "mlcore.labs.data.missing_values:MissingValuesLab",
        "norms": "mlcore.labs.data.norms:NormsLab",
        "far_and_near": "mlcore.labs.data.far_and_near:FarAndNearLab",
        "balancing": "mlcore.labs.preparation.balancing:Balancing",
        "stream": "mlcore.labs.data.stream:StreamLab",
        "subset_trap": "mlcore.labs.preparation.subset_trap:SubsetTrap",
        "search_by_hand": "mlcore.labs.preparation.search_by_hand:SearchByHand",
        "cfs_by_hand": "mlcore.labs.preparation.cfs_by_hand:CFSByHand",
        "raters": "mlcore.labs.data.raters:RatersLab",
        "dependence_patterns": "mlcore.labs.data.dependence_patterns:DependenceLab",
    },
}

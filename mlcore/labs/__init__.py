"""Labs: one idea each, with controls, numbers and what one should see.

They stand above the families and may use any of them.
"""

ENTRIES = {
    "lab": {
        "direction_explorer": "mlcore.labs.direction_explorer:DirectionExplorer",
        "noise_floor": "mlcore.labs.noise_floor:NoiseFloor",
        "bad_start": "mlcore.labs.bad_start:BadStartLab",
        "choose_k": "mlcore.labs.choose_k:ChooseKLab",
        "two_gaussians": "mlcore.labs.two_gaussians:TwoGaussiansLab",
        "knn_complexity": "mlcore.labs.knn_complexity:KNNComplexity",
        "polynomial_complexity": "mlcore.labs.polynomial_complexity:PolynomialComplexity",
        "ols_or_tls": "mlcore.labs.ols_or_tls:OLSOrTLS",
        "gram_bench": "mlcore.labs.gram_bench:GramBench",
        "mercer": "mlcore.labs.mercer:MercerLab",
        "hoeffding": "mlcore.labs.hoeffding:HoeffdingLab",
        "contraction": "mlcore.labs.contraction:ContractionLab",
        "which_test": "mlcore.labs.which_test:WhichTest",
        "tuning_optimism": "mlcore.labs.tuning_optimism:TuningOptimism",
        "scaling_lab": "mlcore.labs.scaling_lab:ScalingLab",
        "students": "mlcore.labs.students:StudentsLab",
        "lift": "mlcore.labs.lift:LiftLab",
        "loss_matters": "mlcore.labs.loss_matters:LossMattersLab",
        "units_and_neighbours": "mlcore.labs.units_and_neighbours:UnitsAndNeighbours",
        "leak_switch": "mlcore.labs.leak_switch:LeakSwitch",
        "sorted_file": "mlcore.labs.sorted_file:SortedFileLab",
        "number_or_name": "mlcore.labs.number_or_name:NumberOrNameLab",
        "holes": "mlcore.labs.holes:HolesLab",
        "norms": "mlcore.labs.norms:NormsLab",
        "far_and_near": "mlcore.labs.far_and_near:FarAndNearLab",
        "balancing": "mlcore.labs.balancing:Balancing",
        "stream": "mlcore.labs.stream:StreamLab",
        "subset_trap": "mlcore.labs.subset_trap:SubsetTrap",
        "search_by_hand": "mlcore.labs.search_by_hand:SearchByHand",
        "cfs_by_hand": "mlcore.labs.cfs_by_hand:CFSByHand",
        "raters": "mlcore.labs.raters:RatersLab",
        "dependence_patterns": "mlcore.labs.dependence_patterns:DependenceLab",
    },
}

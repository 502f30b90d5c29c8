"""Solvers, losses, penalties, schedules, and when to stop."""

ENTRIES: dict[str, dict[str, str]] = {
    "penalty": {
        "l2": "mlcore.optimisation.penalties:L2",
        "l1": "mlcore.optimisation.penalties:L1",
        "elastic_net": "mlcore.optimisation.penalties:ElasticNetPenalty",
        "none": "mlcore.optimisation.penalties:NoPenalty",
    },
    "solver": {
        "newton": "mlcore.optimisation.newton:Newton",
        "lbfgs": "mlcore.optimisation.lbfgs:LBFGS",
        "fista": "mlcore.optimisation.fista:Fista",
        "gradient_descent": "mlcore.optimisation.gradient:GradientDescent",
        "stochastic": "mlcore.optimisation.gradient:Stochastic",
    },
    "schedule": {
        "constant_schedule": "mlcore.optimisation.schedules:ConstantSchedule",
        "linear_schedule": "mlcore.optimisation.schedules:LinearSchedule",
        "exponential_schedule": "mlcore.optimisation.schedules:ExponentialSchedule",
        "visit_power_schedule": "mlcore.optimisation.schedules:VisitPowerSchedule",
        "geometric_schedule": "mlcore.optimisation.schedules:GeometricSchedule",
        "inverse_time_schedule": "mlcore.optimisation.schedules:InverseTimeSchedule",
        "stages_schedule": "mlcore.optimisation.schedules:StagesSchedule",
    },
    "stopping": {
        "none": "mlcore.optimisation.stopping:AllIterations",
        "held_out_rows": "mlcore.optimisation.stopping:HeldOutRows",
    },
}

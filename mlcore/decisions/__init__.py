"""Acting under uncertainty: bandits, planning in known worlds, learning in unknown ones."""

ENTRIES: dict[str, dict[str, str]] = {
    "problem": {
        "grid_world": "mlcore.decisions.grid_world:GridWorld",
        "changing_maze": "mlcore.decisions.changing_maze:ChangingMaze",
        "windy_grid": "mlcore.decisions.windy_grid:WindyGrid",
        "gym_world": "mlcore.decisions.gym_world:GymWorld",
        "taxi": "mlcore.decisions.taxi:Taxi",
        "blackjack": "mlcore.decisions.blackjack:Blackjack",
        "weakest_link": "mlcore.decisions.weakest_link:WeakestLink",
        "chain_walk": "mlcore.decisions.table_worlds:ChainWalk",
        "linear_quadratic": "mlcore.decisions.linear_quadratic:LinearQuadratic",
        "random_walk": "mlcore.decisions.random_walk:RandomWalk",
        "random_mdp": "mlcore.decisions.table_worlds:RandomMDP",
        "a_split_world": "mlcore.decisions.table_worlds:ASplitWorld",
        "divergence_world": "mlcore.decisions.table_worlds:DivergenceWorld",
        "mountain_car": "mlcore.decisions.continuous.mountain_car:MountainCar",
        "cart_pole": "mlcore.decisions.continuous.cart_pole:CartPole",
        "pushed_car": "mlcore.decisions.continuous.mountain_car:PushedCar",
        "pendulum": "mlcore.decisions.continuous.pendulum:Pendulum",
        "acrobot": "mlcore.decisions.continuous.acrobot:Acrobot",
        "bandit_arms": "mlcore.decisions.bandit:BanditArms",
        "contextual_arms": "mlcore.decisions.contextual:ContextualArms",
        "adversarial_arms": "mlcore.decisions.adversarial:AdversarialArms",
    },
    "bandit": {
        "action_value_bandit": "mlcore.decisions.action_values:ActionValueBandit",
        "ucb": "mlcore.decisions.ucb:UCB",
        "thompson_sampling": "mlcore.decisions.thompson:ThompsonSampling",
        "exp3": "mlcore.decisions.exp3:Exp3",
        "linucb": "mlcore.decisions.linucb:LinUCB",
    },
    "planning": {
        "value_iteration": "mlcore.decisions.planning:ValueIteration",
        "policy_iteration": "mlcore.decisions.planning:PolicyIteration",
        "finite_horizon_dp": "mlcore.decisions.finite_horizon:FiniteHorizonDP",
    },
    "learning": {
        "td_control": "mlcore.decisions.td_control:TDControl",
        "model_based_rl": "mlcore.decisions.model_based:ModelBasedRL",
        "td_prediction": "mlcore.decisions.td_prediction:TDPrediction",
        "semi_gradient_control": "mlcore.decisions.continuous.semi_gradient:SemiGradientControl",
        "semi_gradient_prediction": (
            "mlcore.decisions.continuous.prediction:SemiGradientPrediction"
        ),
        "policy_gradient": "mlcore.decisions.continuous.reinforce:PolicyGradient",
        "actor_critic": "mlcore.decisions.continuous.actor_critic:ActorCritic",
    },
    "model_use": {
        "dyna_planning": "mlcore.decisions.model_uses:DynaPlanning",
        "dyna_q_plus": "mlcore.decisions.model_uses:DynaQPlus",
        "certainty_equivalence": "mlcore.decisions.model_uses:CertaintyEquivalence",
        "r_max": "mlcore.decisions.model_uses:RMax",
        "posterior_sampling": "mlcore.decisions.model_uses:PosteriorSampling",
    },
    "policy": {
        "softmax_policy": "mlcore.decisions.continuous.policies:SoftmaxPolicy",
        "gaussian_policy": "mlcore.decisions.continuous.policies:GaussianPolicy",
    },
    "features": {
        "tile_coding": "mlcore.decisions.continuous.features:TileCoding",
        "fourier_basis": "mlcore.decisions.continuous.features:FourierBasis",
        "polynomial_features": "mlcore.decisions.continuous.features:PolynomialFeatures",
    },
    "explorer": {
        "epsilon_greedy_explorer": "mlcore.decisions.explorers:EpsilonGreedy",
        "greedy_explorer": "mlcore.decisions.explorers:Greedy",
        "softmax_explorer": "mlcore.decisions.explorers:Softmax",
    },
    "reward_distribution": {
        "bernoulli_rewards": "mlcore.decisions.bandit:BernoulliRewards",
        "gaussian_rewards": "mlcore.decisions.bandit:GaussianRewards",
    },
    "tail": {
        "bounded_tail": "mlcore.decisions.ucb:BoundedTail",
        "gaussian_tail": "mlcore.decisions.ucb:GaussianTail",
    },
    "posterior": {
        "beta_posterior": "mlcore.decisions.thompson:BetaPosterior",
        "normal_posterior": "mlcore.decisions.thompson:NormalPosterior",
    },
    "baseline": {
        "uniform_arms": "mlcore.decisions.uniform:UniformArms",
        "uniform_policy": "mlcore.decisions.uniform:UniformPolicy",
        "uniform_motion": "mlcore.decisions.continuous.agent:UniformMotion",
    },
}

FUNCTION_MODULES = (
    "mlcore.decisions.mdp",
    "mlcore.decisions.bandit",
    "mlcore.decisions.ucb",
    "mlcore.decisions.environment_tables",
    "mlcore.decisions.weakest_link",
    "mlcore.decisions.policy_gradients",
)

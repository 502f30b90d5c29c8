"""Neural networks: build a network, watch every unit learn, see what it has learned."""

from ui.method.page import Page, method_page

method_page(
    Page(
        "neural_networks",
        "Neural networks",
        "neural",
        "mlp_classifier&data=spirals&preparation=standardise&method.hidden_layer_sizes=8~6~4"
        "&method.stopping=held_out_rows&method.stopping.patience=200",
        of_task=True,
    )
)

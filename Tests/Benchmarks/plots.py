"""The report's plots, as SVG."""

import statistics

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402  (after the choice of what draws)

OURS, THEIRS = "#c8452d", "#8a99a8"


def walls(title, cells, path):
    """A panel for each workload: the median of each client, from the least to the most."""
    cells = [cell for cell in cells if cell.runs]
    figure, panels = pyplot.subplots(1, len(cells), figsize=(4.2 * len(cells), 3.2), squeeze=False)
    for cell, panel in zip(cells, panels[0]):
        clients = list(cell.runs)
        for place, client in enumerate(clients):
            runs = [run["wall"] for run in cell.runs[client]]
            middle = statistics.median(runs)
            panel.barh(
                place, middle, color=OURS if client == "submit" else THEIRS,
                xerr=[[middle - min(runs)], [max(runs) - middle]], ecolor="#333333", capsize=2)
            panel.text(max(runs), place, f" {middle:.2f} s", va="center", fontsize=8)
        panel.set_yticks(range(len(clients)), clients, fontsize=8)
        panel.invert_yaxis()
        panel.margins(x=0.25)
        panel.set_title(cell.about["workload"], fontsize=9)
        panel.set_xlabel("wall, s", fontsize=8)
        panel.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, fontsize=10)
    _save(figure, path)


def fan_out(cells, path):
    """Wall and CPU over the number of destinations, each against that of one, beside what separate runs would cost."""
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6))
    for panel, name, word in zip(panels, ("wall", "cpu"), ("wall time", "CPU")):
        most = 1
        for cell in cells:
            numbers = sorted(int(client) for client in cell.runs)
            values = [statistics.median(run[name] for run in cell.runs[str(number)]) for number in numbers]
            panel.plot(
                numbers, [value / values[0] for value in values], marker="o", markersize=3,
                label=f"{cell.about['place']}, {cell.about['workload']}")
            most = max(most, *numbers)
        panel.plot([1, most], [1, most], linestyle=":", color="#333333", label="as many runs")
        panel.set_xlabel("destinations", fontsize=8)
        panel.set_ylabel(f"{word} against one destination", fontsize=8)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(fontsize=7, frameon=False)
    _save(figure, path)


def _save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)

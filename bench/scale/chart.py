"""A line chart in the style of the gallery: two logarithmic or linear axes, names at the ends, readable in the dark."""
import math

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
STYLE = ("text{font-family:Helvetica,Arial,sans-serif}.back{fill:#fff}.title{font-size:16px;font-weight:bold;fill:#222}"
         ".tick{font-size:12px;fill:#555}.label{font-size:13px;fill:#333}.name{font-size:13px}.grid{stroke:#ddd}"
         ".axis{stroke:#888}@media(prefers-color-scheme:dark){.back{fill:#161b22}.title,.label{fill:#e6edf3}"
         ".tick{fill:#9da7b3}.grid{stroke:#30363d}}")
LEFT, RIGHT, TOP, BOTTOM = 78, 650, 44, 404


class Axis:
    def __init__(self, low, high, begin, end, log):
        self.low, self.high, self.begin, self.end, self.log = low, high, begin, end, log

    def at(self, value):
        share = (math.log(value / self.low) / math.log(self.high / self.low) if self.log
                 else (value - self.low) / (self.high - self.low))
        return self.begin + min(max(share, 0), 1) * (self.end - self.begin)

    def ticks(self):
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            return [10.0 ** power for power in range(first, last + 1)]
        step = (self.high - self.low) / 6
        power = 10 ** math.floor(math.log10(step))
        step = next(nice * power for nice in (1, 2, 5, 10) if nice * power >= step)
        return [self.low + step * i for i in range(int((self.high - self.low) / step + 1e-9) + 1)]


def tick_text(value):
    power = math.log10(abs(value)) if value else 0
    return f"1e{round(power)}" if power >= 4 else f"{value:.4g}"


def spread(places):
    """Moves names that are too close down, in their order."""
    moved, last = {}, -1e9
    for place, name in sorted(places):
        last = max(place, last + 17)
        moved[name] = last
    return moved


def chart(title, x_label, y_label, curves, x_range, y_range, x_log=True, y_log=True):
    """SVG of curves, a list of (name, [(x, y), ...], dashed)."""
    x_axis = Axis(*x_range, LEFT, RIGHT, x_log)
    y_axis = Axis(*y_range, BOTTOM, TOP + 20, y_log)
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 900 460' role='img' aria-label='{title}'>",
           f"<style>{STYLE}</style>", "<rect class='back' width='900' height='460'/>",
           f"<text class='title' x='{LEFT}' y='26'>{title}</text>"]
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        out.append(f"<line class='grid' x1='{LEFT}' x2='{RIGHT}' y1='{y:.1f}' y2='{y:.1f}'/>"
                   f"<text class='tick' text-anchor='end' x='{LEFT - 8}' y='{y + 4:.1f}'>{tick_text(tick)}</text>")
    for tick in x_axis.ticks():
        out.append(f"<text class='tick' text-anchor='middle' x='{x_axis.at(tick):.1f}' y='{BOTTOM + 20}'>{tick_text(tick)}</text>")
    out += [f"<line class='axis' x1='{LEFT}' x2='{RIGHT}' y1='{BOTTOM}' y2='{BOTTOM}'/>",
            f"<text class='label' text-anchor='middle' x='{(LEFT + RIGHT) / 2}' y='{BOTTOM + 44}'>{x_label}</text>",
            f"<text class='label' text-anchor='middle' transform='translate(18 {(TOP + BOTTOM) / 2}) rotate(-90)'>{y_label}</text>"]
    places = spread([(y_axis.at(points[-1][1]), name) for name, points, _ in curves])
    for number, (name, points, dashed) in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in points)
        dash = " stroke-dasharray='5 4'" if dashed else ""
        out.append(f"<polyline fill='none' stroke-width='2' stroke='{colour}'{dash} points='{line}'/>")
        out.append(f"<text class='name' fill='{colour}' x='{RIGHT + 8}' y='{places[name] + 4:.1f}'>{name}</text>")
    return "\n".join(out) + "\n</svg>\n"

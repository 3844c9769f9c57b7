#!/usr/bin/python3
"""Pictures of the dashboard for the documentation. dashboard_pictures.py SOTTO FOLDER [SECONDS]

Runs `sotto serve --demo` for SECONDS (100), with a restart in the middle, and writes dashboard.png (the top of the page),
dashboard-light.png, dashboard-dark.png, dashboard-phone.png and dashboard-print.png. Prints complaints of the page, if
there are any.
"""
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "apps", "sotto"))
from browser import Browser  # noqa: E402

LOOKS = {"dashboard": {"width": 1280, "height": 760}, "dashboard-light": {"width": 1280, "height": 1860},
         "dashboard-dark": {"width": 1280, "height": 1860, "dark": True},
         "dashboard-phone": {"width": 390, "height": 1600, "phone": True},
         "dashboard-print": {"width": 794, "height": 1123, "media": "print"}}


def find_address(demo):
    """The address of the dashboard, as it is printed."""
    seen = ""
    for line in demo.stdout:
        seen += line
        found = re.search(r"http://\S+", line)
        if found and "ashboard" in line:
            return found.group(0)
    raise SystemExit("no address was printed: " + seen)


def main():
    program, folder = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 100
    command = [program, "serve", "--demo", "--demo-restart", str(0.6 * seconds)]
    demo = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        with Browser() as browser:
            url = find_address(demo)
            browser.emulate(1280, 1500)
            browser.open(url)
            time.sleep(seconds)
            for name, look in LOOKS.items():
                browser.emulate(**look)
                browser.run("scrollTo(0, 0)")
                time.sleep(2)
                browser.picture(os.path.join(folder, name + ".png"))
            browser.collect()
            away = [asked for asked in browser.requests if asked.startswith("http") and not asked.startswith(url)]
            print("\n".join(browser.console + away) or "no complaints")
    finally:
        demo.terminate()
        demo.wait(30)


if __name__ == "__main__":
    main()

"""A headless Chromium for tests of pages, with what it complained of and asked for."""
import json
import shutil
import tempfile

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars"]


class Browser:
    """Opens pages; ends with its `with` block."""

    def __init__(self, width=1280, height=1000):
        from selenium import webdriver
        self.folder = tempfile.mkdtemp(prefix="sotto-browser-")
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in [*FLAGS, f"--user-data-dir={self.folder}", f"--window-size={width},{height}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=webdriver.ChromeService(shutil.which("chromedriver"))
                                       if hasattr(webdriver, "ChromeService") else self.make_service(),
                                       options=options)
        self.console, self.requests = [], []

    @staticmethod
    def make_service():
        from selenium.webdriver.chrome.service import Service
        return Service(shutil.which("chromedriver"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, url):
        self.driver.get(url)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, element):
        return self.run("const e = document.getElementById(arguments[0]); return e ? e.textContent : ''", element)

    def collect(self):
        """Reads the logs so far: messages of the console, addresses that were asked for."""
        self.console += [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])

    def emulate(self, width=None, height=900, phone=False, dark=False, media=""):
        """Another screen, or colours, or print."""
        if width:
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def picture(self, path):
        self.driver.save_screenshot(path)

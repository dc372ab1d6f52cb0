"""Signs in at Glewlwyd as a person does, in Chromium without a window: sign-in.py URL

What `submit login` opens. Of the environment: SIGN_IN_USER and SIGN_IN_PASSWORD, and SIGN_IN_SEEN, the file in which it
says what it saw, as JSON: `failure` where it got stuck."""
import json
import os
import signal
import sys
from urllib.parse import parse_qs, urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 30


def chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    options.add_argument("--headless=new")
    options.add_argument("--lang=en-US")
    options.add_argument("--no-first-run")
    options.add_argument("--disable-background-networking")
    # /dev/shm is small in containers.
    options.add_argument("--disable-dev-shm-usage")
    if os.geteuid() == 0:
        # Its sandbox refuses root.
        options.add_argument("--no-sandbox")
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def the(driver, how, what):
    """What can be clicked, as soon as it can: the page is made by JavaScript."""

    def ready(driver):
        found = [e for e in driver.find_elements(how, what) if e.is_displayed() and e.is_enabled()]
        return found[0] if found else None

    return WebDriverWait(driver, SECONDS).until(ready, f"no {what}")


def button(driver, label):
    return the(driver, By.XPATH, f"//button[normalize-space()='{label}']")


def sign_in(driver, url, seen):
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    seen["challenge"] = asked.get("code_challenge")
    seen["challenge_method"] = asked.get("code_challenge_method")
    driver.get(url)
    the(driver, By.ID, "username").send_keys(os.environ["SIGN_IN_USER"])
    seen["first_page"] = driver.title
    the(driver, By.ID, "password").send_keys(os.environ["SIGN_IN_PASSWORD"])
    the(driver, By.ID, "loginbut").click()

    the(driver, By.ID, "grant-upload").click()
    seen["second_page"] = driver.find_element(By.TAG_NAME, "h4").text
    button(driver, "Grant access").click()
    button(driver, "Continue").click()

    back = asked["redirect_uri"]
    WebDriverWait(driver, SECONDS).until(lambda d: d.current_url.startswith(back + "?"), "it did not come back")
    seen["back_at"] = back
    seen["answer"] = sorted(parse_qs(urlsplit(driver.current_url).query))
    seen["status"] = driver.execute_script("return performance.getEntriesByType('navigation')[0].responseStatus")
    seen["heading"] = the(driver, By.TAG_NAME, "h1").text
    seen["sentence"] = the(driver, By.TAG_NAME, "p").text


def leave(*_):
    raise SystemExit("stopped")


def main():
    # So that Chromium ends with it.
    signal.signal(signal.SIGTERM, leave)
    seen, driver = {}, None
    try:
        driver = chromium()
        seen["browser"] = driver.capabilities["browserVersion"]
        sign_in(driver, sys.argv[1], seen)
    except (Exception, SystemExit) as error:
        page = driver.find_element(By.TAG_NAME, "body").text if driver else ""
        seen["failure"] = " / ".join(f"{type(error).__name__} {error}; the page says: {page}".split("\n"))
    finally:
        if driver:
            driver.quit()
        path = os.environ["SIGN_IN_SEEN"]
        with open(path + ".new", "w") as file:
            json.dump(seen, file)
        os.rename(path + ".new", path)


main()

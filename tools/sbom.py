"""A bill of materials in SPDX 2.3 (JSON): the packed files, and the packages that are in them or linked."""
import hashlib
import json
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Debian's name of the file to look for, by the name in docs/licences.md.
DEBIAN = {"libsodium": "libsodium-dev", "GMP": "libgmp-dev", "MPFR": "libmpfr-dev", "zlib": "zlib1g-dev",
          "simdjson": "libsimdjson-dev", "nlohmann-json": "nlohmann-json3-dev", "Boost": "libboost-dev",
          "kissfft": "libkissfft-dev", "CLI11": "libcli11-dev", "pybind11": "pybind11-dev", "OpenSSL": "libssl-dev",
          "libpq": "libpq-dev"}
LICENCES = {"LGPL-3+": "LGPL-3.0-or-later"}


def parts():
    """(name, licence, linked or headers) of everything that is in the binaries: rows of docs/licences.md."""
    for line in (ROOT / "docs/licences.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or not cells[3].startswith(("linked", "headers")):
            continue
        licences = cells[2].split(", ")
        for i, name in enumerate(cells[0].split(", ")):
            licence = licences[min(i, len(licences) - 1)]
            yield name, LICENCES.get(licence, licence), cells[3].split(",")[0]


def debian_version(name):
    package = DEBIAN.get(name)
    if package is None:
        return "NOASSERTION"
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False)
    return done.stdout or "NOASSERTION"


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def write(place, files, epoch):
    version = re.search(r"project\(sotto VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    packages = [{"SPDXID": "SPDXRef-sotto", "name": "sotto", "versionInfo": version, "downloadLocation": "NOASSERTION",
                 "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
                 "copyrightText": "2026 the Sotto authors"}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-sotto"}]
    for name, licence, how in parts():
        packages.append({"SPDXID": identifier(name), "name": name, "versionInfo": debian_version(name),
                         "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
                         "licenseDeclared": licence, "copyrightText": "NOASSERTION"})
        relations.append({"spdxElementId": "SPDXRef-sotto", "relatedSpdxElement": identifier(name),
                          "relationshipType": "DYNAMIC_LINK" if how == "linked" else "STATIC_LINK"})
    entries = []
    for file in sorted(files):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        entries.append({"SPDXID": identifier("file-" + file.name), "fileName": "./" + file.name,
                        "checksums": [{"algorithm": "SHA256", "checksumValue": digest},
                                      {"algorithm": "SHA1", "checksumValue": hashlib.sha1(file.read_bytes()).hexdigest()}],
                        "licenseConcluded": "Apache-2.0", "copyrightText": "2026 the Sotto authors"})
        relations.append({"spdxElementId": "SPDXRef-sotto", "relationshipType": "CONTAINS",
                          "relatedSpdxElement": identifier("file-" + file.name)})
    content = hashlib.sha256(json.dumps(entries).encode()).hexdigest()
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"sotto-{version}",
                "documentNamespace": f"urn:sotto:sbom:{content}",
                "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                                 "creators": ["Tool: sotto-tools-sbom"]},
                "packages": packages, "files": entries, "relationships": relations}
    place.write_text(json.dumps(document, indent=1) + "\n")
    return place

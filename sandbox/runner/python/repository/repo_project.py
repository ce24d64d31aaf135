"""What an installed project has beside its modules, made for one that lies in its checkout: metadata, and its commands.

`importlib.metadata.version("shop")`, entry points and console scripts are read from the project's own declarations. Nothing
of its build runs. A project that brings its metadata along (`*.egg-info` on the path) keeps it.
"""

import configparser
import os
import re
import stat
import sys
import tomllib

PLACE = "/tmp/.project"
BYTES_MAX = 4 * 1024 * 1024
UNKNOWN_VERSION = "0.0.0"


def lay_metadata(work_dir):
    """Puts the project's metadata on the path, for this process and for those that it starts. Anything odd is left alone."""
    try:
        project = read_project(work_dir)
        if project is None:
            return
        _write_scripts(project["entry_points"].get("console_scripts", {}), work_dir)
        os.environ["PATH"] = os.pathsep.join([os.path.join(PLACE, "bin"), os.environ.get("PATH", "")])
        if _is_there(project["name"]):
            return
        folder = os.path.join(PLACE, f"{_file_name(project['name'])}-{project['version']}.dist-info")
        os.makedirs(folder, exist_ok=True)
        _write(os.path.join(folder, "METADATA"), _metadata(project))
        _write(os.path.join(folder, "entry_points.txt"), _entry_points(project["entry_points"]))
        _write(os.path.join(folder, "INSTALLER"), "a7\n")
        sys.path.append(PLACE)
        os.environ["PYTHONPATH"] = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), PLACE])
    except (OSError, ValueError, TypeError, AttributeError, re.error, configparser.Error):
        return


def read_project(work_dir):
    pyproject = _toml(os.path.join(work_dir, "pyproject.toml"))
    config = _config(os.path.join(work_dir, "setup.cfg"))
    info = _read(os.path.join(work_dir, "PKG-INFO"))
    setup = _read(os.path.join(work_dir, "setup.py"))
    project, tool = pyproject.get("project", {}), pyproject.get("tool", {})
    poetry = tool.get("poetry", {})
    name = (
        project.get("name") or poetry.get("name") or config.get("metadata", "name", fallback=None)
        or _match(r"^Name:\s*(\S+)", info) or _match(r"\bname\s*=\s*['\"]([^'\"]+)['\"]", setup)
    )
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        return None
    version = (
        project.get("version") or poetry.get("version") or _match(r"^Version:\s*(\S+)", info)
        or config.get("metadata", "version", fallback=None) or _version_in_files(work_dir, name, tool)
        or _match(r"\bversion\s*=\s*['\"](\d[^'\"]*)['\"]", setup)
    )
    if not isinstance(version, str) or not re.fullmatch(r"[0-9][\w.+!-]*", version):
        version = _version_in_files(work_dir, name, tool) or UNKNOWN_VERSION
    needs = [need for need in project.get("dependencies", []) if isinstance(need, str)]
    summary = project.get("description") or _match(r"^Summary:\s*(.+)$", info) or ""
    return {"name": name, "version": version, "needs": needs, "summary": str(summary).replace("\n", " "),
            "entry_points": _points(project, poetry, config, setup)}


def _points(project, poetry, config, setup):
    listed = _match(r"['\"]?console_scripts['\"]?\s*[:=]\s*\[([^\]]*)\]", setup) or ""
    pairs = re.findall(r"['\"]([\w.-]+)\s*=\s*([\w.]+:[\w.]+)['\"]", listed)
    groups = {"console_scripts": {**dict(pairs), **poetry.get("scripts", {}), **project.get("scripts", {})},
              "gui_scripts": project.get("gui-scripts", {})}
    for table in (poetry.get("plugins", {}), project.get("entry-points", {})):
        for group, points in table.items():
            groups.setdefault(group, {}).update(points)
    if config.has_section("options.entry_points"):
        for group, text in config.items("options.entry_points"):
            pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
            groups.setdefault(group, {}).update({key.strip(): value.strip() for key, value in pairs})
    return {group: {k: v for k, v in points.items() if isinstance(v, str)} for group, points in groups.items() if points}


def _version_in_files(work_dir, name, tool):
    """Where a project says that its version stands, else in its package."""
    hatch, setuptools = tool.get("hatch", {}).get("version", {}), tool.get("setuptools", {}).get("dynamic", {})
    attribute = setuptools.get("version", {}).get("attr", "") if isinstance(setuptools.get("version"), dict) else ""
    module = name.lower().replace("-", "_").replace(".", "_")
    files = [hatch.get("path", ""), attribute.rpartition(".")[0].replace(".", "/") + ".py",
             attribute.rpartition(".")[0].replace(".", "/") + "/__init__.py"]
    for folder in (module, f"src/{module}"):
        files += [f"{folder}/{file}.py" for file in ("__init__", "_version", "version", "__version__", "__about__")]
    files += [f"{module}.py", f"src/{module}.py"]
    for file in [*files, *(f"src/{file}" for file in files[1:3])]:
        found = _match(r"^(?:__version__|version|VERSION)\s*(?::\s*\w+\s*)?=\s*['\"](\d[\w.+!-]*)['\"]",
                       _read(os.path.join(work_dir, file)) if file else "")
        if found:
            return found
    return None


def _is_there(name):
    import importlib.metadata

    try:
        importlib.metadata.distribution(name)
        return True
    except importlib.metadata.PackageNotFoundError:
        return False


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    lines += [f"Summary: {project['summary']}"] if project["summary"] else []
    return "\n".join([*lines, *(f"Requires-Dist: {need}" for need in project["needs"]), ""])


def _entry_points(groups):
    parts = [[f"[{group}]", *(f"{key} = {value}" for key, value in sorted(points.items())), ""]
             for group, points in sorted(groups.items())]
    return "\n".join(line for part in parts for line in part)


def _write_scripts(scripts, work_dir):
    folder = os.path.join(PLACE, "bin")
    os.makedirs(folder, exist_ok=True)
    for name, target in scripts.items():
        module, _, attribute = target.partition(":")
        if not re.fullmatch(r"[\w.-]+", name) or not re.fullmatch(r"[\w.]+", module) or not re.fullmatch(r"[\w.]+", attribute):
            continue
        first = attribute.split(".")[0]
        path = os.path.join(folder, name)
        _write(path, f"#!/usr/bin/env python3\nimport sys\nsys.path[0] = {work_dir!r}\nfrom {module} import {first}\nsys.exit({attribute}())\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _file_name(name):
    return re.sub(r"[-_.]+", "_", name)


def _toml(path):
    try:
        return tomllib.loads(_read(path))
    except ValueError:
        return {}


def _config(path):
    config = configparser.ConfigParser(interpolation=None)
    try:
        config.read_string(_read(path))
    except configparser.Error:
        return configparser.ConfigParser(interpolation=None)
    return config


def _match(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1).strip() if found else None


def _read(path):
    try:
        if os.path.getsize(path) > BYTES_MAX:
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)

"""Tables for exports. Synthetic ones have three or two classes, missing values, unknown categories and hostile names;
real ones are the published files, every row, as text with a header."""

import csv
import os
import shutil
import zipfile

import numpy as np

NUMBERS = ['he"ight', "wei[ght]", "label"]
CATEGORIES = ["<b>job</b>", "Größe 'x'; --", "a,b{c}"]
JOBS = ["cook", 'cl"erk', "O'Neil", "<script>alert(1)</script>", "naïve 🙂", "back\\slash"]
SIZES = ["S", "M", "L", "100"]
PLACES = ["north", "south"]


def make_table(path, rows, seed, classes, strange=False):
    """Writes a table; with `strange`, also categories that training did not see and far numbers."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, rows)
    height = rng.normal(170 + 5 * group, 10)
    weight = rng.lognormal(4.2, 0.3, rows)
    counts = rng.integers(-9, 40, rows).astype(float)
    job = rng.integers(0, len(JOBS), rows)
    size = rng.integers(0, len(SIZES), rows)
    place = (rng.random(rows) < 0.3 + 0.2 * group).astype(int)
    logits = np.stack([0.05 * (height - 170), 0.02 * (weight - 66) + 0.4 * (job == 1) - 0.3 * place,
                       0.03 * counts - 0.5 * (size == 2) + 0.4 * group])[:len(classes)]
    y = np.argmax(logits + rng.gumbel(size=logits.shape), axis=0)

    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(NUMBERS + CATEGORIES + ["group", "class"])
        for i in range(rows):
            cells = [f"{height[i]:.3f}", f"{weight[i]:.4f}", f"{counts[i]:.0f}", JOBS[job[i]], SIZES[size[i]],
                     PLACES[place[i]]]
            for c in range(len(cells)):
                if c != 1 and rng.random() < 0.05:
                    cells[c] = "?" if c % 2 else ""
            if strange and rng.random() < 0.1:
                cells[3] = "never 'seen\""
                cells[4] = "(missing)"
                cells[1] = "1e7" if i % 2 else "0.0"
            writer.writerow(cells + [f"g{group[i]}", classes[y[i]]])


def read_columns(path, numbers, categories):
    """{name: values}: floats or None for numbers, texts as written for categories."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {name: [float(row[name]) if row[name] not in ("", "?") else None for row in rows] for name in numbers}
    columns.update({name: [row[name] for row in rows] for name in categories})
    return columns


ADULT = ("age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
         "capital-loss hours-per-week native-country income").split()


def write_adult(folder, path):
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(ADULT)
        for part in ("adult.data", "adult.test"):
            with open(os.path.join(folder, part), encoding="utf-8") as file:
                rows = csv.reader((line for line in file if line.strip() and not line.startswith("|")),
                                  skipinitialspace=True)
                writer.writerows(row[:-1] + [row[-1].rstrip(".")] for row in rows)


def write_diabetes(folder, path):
    """From the file that `dpfermi datasets fetch` unpacks, or from the archive of its publisher."""
    unpacked = os.path.join(folder, "diabetic_data.csv")
    if os.path.exists(unpacked):
        shutil.copy(unpacked, path)
        return
    with zipfile.ZipFile(os.path.join(folder, "dataset_diabetes.zip")) as archive:
        inside = next(name for name in archive.namelist() if name.endswith("diabetic_data.csv"))
        with archive.open(inside) as file, open(path, "wb") as out:
            shutil.copyfileobj(file, out)


# What writes each table, and which columns are what. Unlike the known data sets they keep columns that are mostly
# missing and those of hundreds of categories.
REAL = {
    "adult": (write_adult, ["--target", "income", "--positive", ">50K", "--sensitive", "sex", "--sensitive-values",
                            "sex=Female,Male"]),
    "diabetes-130": (write_diabetes, [
        "--target", "readmitted", "--positive", "NO", "--id", "patient_nbr", "--drop", "encounter_id", "--categorical",
        "admission_type_id,discharge_disposition_id,admission_source_id", "--sensitive", "race", "--sensitive-values",
        "race=AfricanAmerican,Asian,Caucasian,Hispanic,Other", "--other", "race=Other"]),
}

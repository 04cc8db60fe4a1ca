// A rule as a function. It needs no library.
//
// `predictRow` takes one row, an object from column name to value, and returns its label; `predict`
// does so for many rows. null, undefined and NaN count as missing. A column that is not there is an
// error, and so is a text where a number is compared. A date is a text: "2024-03-01 12:30:00".

function cell(row, name) {
  if (!Object.prototype.hasOwnProperty.call(row, name)) {
    throw new Error("The row has no column " + JSON.stringify(name) + ".");
  }
  return row[name];
}

function missing(value) {
  return value === null || value === undefined || value !== value;
}

function number(value) {
  if (!["number", "boolean", "bigint"].includes(typeof value)) {
    throw new TypeError("A number is needed, not " + JSON.stringify(value) + ".");
  }
  return Number(value);
}

// Return whether a value is one of some values; true equals 1, and false 0.
function isOneOf(value, values) {
  const plain = (v) => (["boolean", "bigint"].includes(typeof v) ? Number(v) : v);
  return values.some((v) => plain(v) === plain(value));
}

function predictRow(row) {
  const x1 = cell(row, "age");
  const x2 = cell(row, "smoker");
  const x3 = cell(row, "town");
  const x4 = cell(row, "bmi");
  const x5 = cell(row, "x < 5");
  if (
    (!missing(x1) && number(x1) >= 20.0)
    && (!missing(x1) && number(x1) < 30.5)
    && (!missing(x2) && isOneOf(x2, [true]))
  ) {
    return "low";
  }
  if (
    (!missing(x3) && isOneOf(x3, ["Bonn", "Ulm"]))
    && missing(x4)
  ) {
    return "middle";
  }
  if (
    (missing(x3) || !isOneOf(x3, ["\"x\"", "a\nb"]))
    && (!missing(x5) && !isOneOf(x5, [0.0]))
  ) {
    return "middle";
  }
  if (
    !missing(x4)
  ) {
    return "high";
  }
  return "none of these";
}

function predict(rows) {
  return rows.map(predictRow);
}

// Rows with their answers, and what they show: any small change of the rule turns one of them.
const CASES = [
  [{ "age": 20.0, "smoker": true, "town": "\"x\"", "bmi": 0.0, "x < 5": 0.0 }, "low", "clause 1 decides"],
  [{ "age": 19.0, "smoker": false, "town": "Bonn", "bmi": null, "x < 5": 0.0 }, "middle", "clause 2 decides"],
  [{ "age": 19.9, "smoker": true, "town": "\"x\"", "bmi": 0.0, "x < 5": 0.0 }, "high", "age >= 20, near 20"],
  [{ "age": 30.5, "smoker": true, "town": "\"x\"", "bmi": 0.0, "x < 5": 0.0 }, "high", "clause 1 needs age < 30.5"],
  [{ "age": 30.49, "smoker": true, "town": "\"x\"", "bmi": 0.0, "x < 5": 0.0 }, "low", "age < 30.5, near 30.5"],
  [{ "age": 20.0, "smoker": false, "town": "\"x\"", "bmi": 0.0, "x < 5": 0.0 }, "high", "clause 1 needs smoker == true"],
  [{ "age": 20.0, "smoker": null, "town": "\"x\"", "bmi": 0.0, "x < 5": 0.0 }, "high", "smoker is missing"],
  [{ "age": 19.0, "smoker": false, "town": "another value", "bmi": null, "x < 5": 0.0 }, "none of these", "town in {Bonn, Ulm}, at another value"],
  [{ "age": 19.0, "smoker": false, "town": "Ulm", "bmi": null, "x < 5": 0.0 }, "middle", "town in {Bonn, Ulm}, at Ulm"],
  [{ "age": 19.0, "smoker": false, "town": null, "bmi": null, "x < 5": 0.0 }, "none of these", "town is missing"],
  [{ "age": 19.0, "smoker": false, "town": "\"x\"", "bmi": 0.0, "x < 5": 1.0 }, "high", "clause 3 needs town not in {\"x\", a\nb} or missing"],
  [{ "age": 19.0, "smoker": false, "town": "a\nb", "bmi": 0.0, "x < 5": 1.0 }, "high", "town not in {\"x\", a\nb} or missing, at a\nb"],
  [{ "age": 19.0, "smoker": false, "town": null, "bmi": 0.0, "x < 5": 1.0 }, "middle", "town is missing"],
  [{ "age": 19.0, "smoker": false, "town": "Bonn", "bmi": 0.0, "x < 5": null }, "high", "x < 5 is missing"],
  [{ "age": 20.0, "smoker": true, "town": "another value", "bmi": 0.0, "x < 5": 0.0 }, "low", "town has a level never seen"],
];

function testCases() {
  for (const [row, answer, shows] of CASES) {
    if (predictRow(row) !== answer) throw new Error(JSON.stringify([row, answer, shows]));
  }
}

if (typeof module !== "undefined") module.exports = { predict, predictRow, testCases };

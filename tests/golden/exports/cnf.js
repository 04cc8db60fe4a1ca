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
  const x1 = cell(row, "glucose");
  const x2 = cell(row, "age");
  const x3 = cell(row, "colour");
  if (
    ((missing(x1) || number(x1) <= 126.5)
      || (missing(x2) || number(x2) <= 50.0))
    && ((missing(x3) || !isOneOf(x3, ["red"]))
      || (missing(x1) || number(x1) > 200.0))
  ) {
    return "well";
  }
  return "ill";
}

function predict(rows) {
  return rows.map(predictRow);
}

// Rows with their answers, and what they show: any small change of the rule turns one of them.
const CASES = [
  [{ "glucose": 200.0, "age": 49.0, "colour": "red" }, "ill", "clause 2 decides"],
  [{ "glucose": 126.5, "age": 51.0, "colour": "another value" }, "well", "glucose > 126.5, at 126.5"],
  [{ "glucose": 126.51, "age": 51.0, "colour": "another value" }, "ill", "glucose > 126.5, near 126.5"],
  [{ "glucose": null, "age": 51.0, "colour": "red" }, "well", "glucose is missing"],
  [{ "glucose": 200.0, "age": 50.0, "colour": "another value" }, "well", "age > 50, at 50"],
  [{ "glucose": 200.0, "age": 50.1, "colour": "another value" }, "ill", "age > 50, near 50"],
  [{ "glucose": 200.0, "age": null, "colour": "another value" }, "well", "age is missing"],
  [{ "glucose": 200.0, "age": 49.0, "colour": null }, "well", "colour is missing"],
  [{ "glucose": 200.1, "age": 49.0, "colour": "red" }, "well", "glucose <= 200, near 200"],
  [{ "glucose": 200.0, "age": 49.0, "colour": "another value" }, "well", "colour has a level never seen"],
];

function testCases() {
  for (const [row, answer, shows] of CASES) {
    if (predictRow(row) !== answer) throw new Error(JSON.stringify([row, answer, shows]));
  }
}

if (typeof module !== "undefined") module.exports = { predict, predictRow, testCases };

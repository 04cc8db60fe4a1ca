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

function predictRow(row) {
  const x1 = cell(row, "age");
  const x2 = cell(row, "glucose");
  if (
    (!missing(x1) && !missing(x2) && !(0.5 * number(x1) - 1.25 * number(x2) <= 3.0))
    && (!missing(x2) && !missing(x1) && ! ((-2.5 * ((number(x2)) / (((Math.max(number(x1), 20.0)) - 1.0) * ((Math.max(number(x1), 20.0)) - 1.0))) + 1.0 * (number(x1)) <= 40.0) && (-2.5 * ((number(x2)) / (((Math.max(number(x1), 20.0)) - 1.0) * ((Math.max(number(x1), 20.0)) - 1.0))) + 1.0 * (number(x1)) >= 1e-07)))
  ) {
    return "ill";
  }
  if (
    (missing(x2) || missing(x1) || (-2.5 * ((number(x2)) / (((Math.max(number(x1), 20.0)) - 1.0) * ((Math.max(number(x1), 20.0)) - 1.0))) + 1.0 * (number(x1)) <= 40.0) && (-2.5 * ((number(x2)) / (((Math.max(number(x1), 20.0)) - 1.0) * ((Math.max(number(x1), 20.0)) - 1.0))) + 1.0 * (number(x1)) >= 1e-07))
  ) {
    return "ill";
  }
  return "well";
}

function predict(rows) {
  return rows.map(predictRow);
}

// Rows with their answers, and what they show: any small change of the rule turns one of them.
const CASES = [
  [{ "age": 0.0813237, "glucose": 0.0480174 }, "ill", "clause 2 decides"],
  [{ "age": -4.37899, "glucose": 0.0231612 }, "well", "no clause decides"],
  [{ "age": -4.37899, "glucose": -4.15160015 }, "ill", "near the limit of 0.5 * age - 1.25 * glucose > 3"],
  [{ "age": -4.37899, "glucose": -4.15159185 }, "well", "near the limit of 0.5 * age - 1.25 * glucose > 3"],
  [{ "age": -4.37899, "glucose": null }, "ill", "glucose is missing"],
];

function testCases() {
  for (const [row, answer, shows] of CASES) {
    if (predictRow(row) !== answer) throw new Error(JSON.stringify([row, answer, shows]));
  }
}

if (typeof module !== "undefined") module.exports = { predict, predictRow, testCases };

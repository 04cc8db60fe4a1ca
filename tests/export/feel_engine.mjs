// Decision tables whose first line that holds decides, their cells run by the FEEL engine feelin.
// node feel_engine.mjs PATH_OF_FEELIN < [[table, rows], ...]; a row is a context, an answer a value.
import { readFileSync } from "node:fs";

const { evaluate, unaryTest } = await import(process.argv[2]);
const value = (found) => (found && typeof found === "object" && "value" in found ? found.value : found);

function decide({ inputs, rules }, row) {
  const asked = inputs.map((text) => value(evaluate(text, row)));
  const holds = (entry, k) => entry === "-" || value(unaryTest(entry, { ...row, "?": asked[k] })) === true;
  return value(evaluate(rules.find(({ entries }) => entries.every(holds)).output, row));
}

const jobs = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(jobs.map(([table, rows]) => rows.map((row) => decide(table, row)))));

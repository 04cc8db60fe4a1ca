"""Two engines for PMML, each in a process of its own: ``python -m tests.export.pmml_engines NAME``.

Standard input is a list of [document, columns, rows] as JSON, standard output a list of answers for
each. Both engines are Java: JPMML, the reference, and PMML4S.
"""

import json
import sys


def by_jpmml(document, columns, rows):
    from jpmml_evaluator import LoadingModelEvaluatorBuilder, make_backend

    evaluator = LoadingModelEvaluatorBuilder(make_backend("jpype")).loadString(document).build()
    (target,) = evaluator.getTargetFields()
    answers = []
    for row in rows:
        answers.append(evaluator.evaluate(dict(zip(columns, row, strict=True)))[target.getName()])
    return answers


def by_pmml4s(document, columns, rows):
    from pypmml import Model

    model = Model.fromString(document)
    (output,) = model.outputNames
    return [model.predict(dict(zip(columns, row, strict=True)))[output] for row in rows]


ENGINES = {"jpmml": by_jpmml, "pmml4s": by_pmml4s}

if __name__ == "__main__":
    run = ENGINES[sys.argv[1]]
    found = [run(*job) for job in json.load(sys.stdin)]
    sys.stdout.write("\n" + json.dumps(found))

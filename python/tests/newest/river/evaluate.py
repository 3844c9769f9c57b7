import inspect

from river import base


def progressive_val_score(dataset, model, metric):
    """Predicts, then learns, each row: with probabilities where the metric wants them."""
    if not metric.works_with(model):
        raise ValueError(f"{type(metric).__name__} metric is not compatible with {model}")
    wants_labels = getattr(metric, "requires_labels", True)
    predict = model.predict_proba_one if isinstance(model, base.Classifier) and not wants_labels else model.predict_one
    learn = model.learn_one if model._supervised else lambda x, y, **more: model.learn_one(x, **more)
    weighted = "w" in inspect.signature(model.learn_one).parameters
    for x, y, *extra in dataset:
        more = dict(extra[0]) if extra else {}
        weight = more.pop("w", None)
        prediction = predict(x, **more)
        if prediction is not None and prediction != {}:
            metric.update(y_true=y, y_pred=prediction)
        if weight is not None and weighted:
            more["w"] = weight
        learn(x, y, **more)
    return metric

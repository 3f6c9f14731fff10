-- credence--0.1.sql - the type credence, its aggregates, functions and operators.
\echo Use "CREATE EXTENSION credence" to load this file. \quit

-- A model: the bytes of a model file, looked through when they come in.
CREATE TYPE credence;
CREATE FUNCTION credence_in(cstring) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_out(credence) RETURNS cstring AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_recv(internal) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_send(credence) RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE credence (
    INPUT = credence_in, OUTPUT = credence_out, RECEIVE = credence_recv, SEND = credence_send,
    INTERNALLENGTH = VARIABLE, STORAGE = extended, ALIGNMENT = int4
);
CREATE FUNCTION credence_from_bytea(bytea) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_to_bytea(credence) RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bytea AS credence) WITH FUNCTION credence_from_bytea(bytea);
CREATE CAST (credence AS bytea) WITH FUNCTION credence_to_bytea(credence);

-- Training. State functions are the aggregates' own.
CREATE FUNCTION credence_train_add(internal, record, text) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION credence_train_add(internal, record, text, jsonb) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION credence_train_remove(internal, record, text) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION credence_train_remove(internal, record, text, jsonb) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION credence_train_final(internal) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION credence_train_combine(internal, internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION credence_train_serialise(internal) RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION credence_train_deserialise(bytea, internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;

CREATE AGGREGATE credence_train(record, text) (
    SFUNC = credence_train_add, STYPE = internal, FINALFUNC = credence_train_final,
    COMBINEFUNC = credence_train_combine, SERIALFUNC = credence_train_serialise,
    DESERIALFUNC = credence_train_deserialise,
    MSFUNC = credence_train_add, MINVFUNC = credence_train_remove, MSTYPE = internal,
    MFINALFUNC = credence_train_final, PARALLEL = SAFE
);
CREATE AGGREGATE credence_train(record, text, jsonb) (
    SFUNC = credence_train_add, STYPE = internal, FINALFUNC = credence_train_final,
    COMBINEFUNC = credence_train_combine, SERIALFUNC = credence_train_serialise,
    DESERIALFUNC = credence_train_deserialise,
    MSFUNC = credence_train_add, MINVFUNC = credence_train_remove, MSTYPE = internal,
    MFINALFUNC = credence_train_final, PARALLEL = SAFE
);

-- Asking.
CREATE FUNCTION credence_predict(credence, record) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_proba(credence, record) RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_decide(credence, record, costs text) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_decide(credence, record, costs text, reject float8) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_explain(credence, record, OUT factor text, OUT value text, OUT log_odds float8) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_work(credence, record) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_query(credence, text) RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_show(credence) RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Teaching: each gives a new model.
CREATE FUNCTION credence_learn(credence, record) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_unlearn(credence, record) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_merge(credence, credence) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_unmerge(credence, credence) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_refit(credence, jsonb) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION credence_refit_auto(credence) RETURNS credence AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR + (LEFTARG = credence, RIGHTARG = credence, FUNCTION = credence_merge, COMMUTATOR = +);
CREATE OPERATOR + (LEFTARG = credence, RIGHTARG = record, FUNCTION = credence_learn);
CREATE OPERATOR - (LEFTARG = credence, RIGHTARG = credence, FUNCTION = credence_unmerge);
CREATE OPERATOR - (LEFTARG = credence, RIGHTARG = record, FUNCTION = credence_unlearn);
CREATE AGGREGATE credence_sum(credence) (
    SFUNC = credence_merge, STYPE = credence, COMBINEFUNC = credence_merge, PARALLEL = SAFE
);

-- Judging.
CREATE FUNCTION credence_test_add(internal, credence, record) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION credence_test_final(internal) RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE credence_test(credence, record) (
    SFUNC = credence_test_add, STYPE = internal, FINALFUNC = credence_test_final
);
CREATE FUNCTION credence_drift_add(internal, credence, record) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION credence_drift_final(internal) RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE credence_drift(credence, record) (
    SFUNC = credence_drift_add, STYPE = internal, FINALFUNC = credence_drift_final
);

-- A trigger that keeps a model of a table current, exactly:
--   CREATE TRIGGER learn AFTER INSERT OR UPDATE OR DELETE ON visits
--       FOR EACH ROW EXECUTE FUNCTION credence_follow('models', 'visits');
-- where the table models has the columns name and model.
CREATE FUNCTION credence_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        EXECUTE format('UPDATE %s SET model = @extschema@.credence_unlearn(model, $1) WHERE name = $2',
                       TG_ARGV[0]::regclass) USING OLD, TG_ARGV[1];
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        EXECUTE format('UPDATE %s SET model = @extschema@.credence_learn(model, $1) WHERE name = $2',
                       TG_ARGV[0]::regclass) USING NEW, TG_ARGV[1];
    END IF;
    RETURN NULL;
END $$;

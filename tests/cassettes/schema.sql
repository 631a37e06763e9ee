CREATE INDEX exchanges_by_history ON exchanges (history);

CREATE INDEX exchanges_by_key ON exchanges (match_key);

CREATE UNIQUE INDEX turns_by_parent ON turns (ifnull(parent, 0), piece);

CREATE TABLE exchanges (
        id INTEGER PRIMARY KEY,
        started_at REAL NOT NULL,
        duration_ms INTEGER NOT NULL,
        method TEXT NOT NULL,
        upstream TEXT NOT NULL,
        path TEXT NOT NULL,
        query TEXT NOT NULL,
        action TEXT NOT NULL,
        model TEXT NOT NULL,
        request_headers TEXT NOT NULL,
        envelope INTEGER REFERENCES pieces(id),
        history INTEGER REFERENCES turns(id),
        contents_at TEXT,
        tools INTEGER REFERENCES turns(id),
        tools_at TEXT,
        instruction INTEGER REFERENCES pieces(id),
        instruction_at TEXT,
        raw_body INTEGER REFERENCES pieces(id),
        match_key BLOB NOT NULL,
        status INTEGER,
        response_headers TEXT,
        body BLOB,
        chunks TEXT,
        cut INTEGER NOT NULL DEFAULT 0,
        redacted TEXT,
        failure TEXT,
        answer INTEGER REFERENCES pieces(id),
        finish_reason TEXT
    );

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE pieces (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, value NOT NULL);

CREATE TABLE turns (
        id INTEGER PRIMARY KEY,
        parent INTEGER REFERENCES turns(id),
        piece INTEGER NOT NULL REFERENCES pieces(id)
    );

CREATE TABLE violations (
        exchange INTEGER NOT NULL REFERENCES exchanges(id),
        rule TEXT NOT NULL,
        severity TEXT NOT NULL,
        at TEXT NOT NULL,
        pointer TEXT NOT NULL,
        message TEXT NOT NULL,
        checked_by TEXT NOT NULL
    );

CREATE VIEW answers AS
        SELECT e.id AS exchange, e.model, e.status, e.finish_reason, e.failure, p.value AS content
        FROM exchanges e LEFT JOIN pieces p ON p.id = e.answer;

CREATE VIEW requests AS
        SELECT e.id AS exchange, e.method, e.path, e.model, e.status,
            CASE WHEN e.instruction_at IS NULL THEN b.body
                ELSE json_set(b.body, e.instruction_at, json(i.value)) END AS body
        FROM exchanges e
        JOIN (
            SELECT e.id,
                CASE WHEN e.tools_at IS NULL THEN c.body
                    ELSE json_set(c.body, e.tools_at, json((
    WITH RECURSIVE chain(turn, parent, piece, back) AS (
        SELECT id, parent, piece, 0 FROM turns WHERE id = e.tools
        UNION ALL
        SELECT turns.id, turns.parent, turns.piece, chain.back + 1
        FROM chain JOIN turns ON turns.id = chain.parent
    )
    SELECT json_group_array(json(value))
    FROM (SELECT pieces.value FROM chain JOIN pieces ON pieces.id = chain.piece ORDER BY chain.back DESC)
))) END AS body
            FROM exchanges e
            JOIN (
                SELECT e.id,
                    CASE WHEN e.contents_at IS NULL THEN p.value
                        ELSE json_set(p.value, e.contents_at, json((
    WITH RECURSIVE chain(turn, parent, piece, back) AS (
        SELECT id, parent, piece, 0 FROM turns WHERE id = e.history
        UNION ALL
        SELECT turns.id, turns.parent, turns.piece, chain.back + 1
        FROM chain JOIN turns ON turns.id = chain.parent
    )
    SELECT json_group_array(json(value))
    FROM (SELECT pieces.value FROM chain JOIN pieces ON pieces.id = chain.piece ORDER BY chain.back DESC)
))) END AS body
                FROM exchanges e LEFT JOIN pieces p ON p.id = ifnull(e.envelope, e.raw_body)
            ) c ON c.id = e.id
        ) b ON b.id = e.id
        LEFT JOIN pieces i ON i.id = e.instruction;


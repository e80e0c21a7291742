/** The description of the interface as a whole, in Markdown. */
export const introduction = `
The service stores **schemas** (JSON Schema, XML Schema) and **metadata documents** (JSON, XML). Each has a record that
describes it, and numbered versions. They are plain files in a Git repository. The service validates every document
before it stores it.

### Versions and states

A schema gets a new version when its bytes change; a metadata record gets one with every change. Requests without
\`?version=\` read the newest version; all older versions stay readable. Each change is a commit, and the id of the commit
is the **ETag**. All representations of one state (the record, the document and others) have the same ETag.

A change must name the state that it changes: \`PUT\` and \`DELETE\` need \`If-Match\` with the ETag of the record. Without
it, the response is 428. If the record has changed meanwhile, the response is 412. A request that changes nothing stores
nothing.

\`state\` says who may change a record. \`VOLATILE\`: callers with the permission to write. \`FIXED\`: only callers with
ADMINISTRATE. The first \`DELETE\` makes a record \`REVOKED\`: only callers with ADMINISTRATE can read it. The second one
makes it \`GONE\`.

With \`at\`, every read and every list returns the state at another point of history: a commit, a tag, a branch or a time.
Records that the caller may not read today are absent at every point. Changes with \`at\` are refused.

### Access

If the server runs without \`--auth\`, requests need no credentials. With \`--auth\`, callers without a token can read what
is open to everyone, and change nothing (401). Send a token as \`Authorization: Bearer …\`. A token that is not valid gets
401 on every path. A missing permission is 403. A REVOKED record that the caller may not read is 404, as if it did not
exist. Lists, their totals and the change feed contain only records that the caller may read.

### Representations

One address has several representations, which \`Accept\` chooses: the record, the document, an HTML page. The response has
the requested media type. Of several types, the one with the highest weight counts; of types with the same weight, the
first one.

### Unknown names

Existing clients send query parameters and members of records that are not described here; the server ignores them. A
name that looks like a misspelling of a described name (\`?szie=1\`, \`"lable"\`) is 400, and the problem says which name
was probably meant. With \`Prefer: handling=strict\` (RFC 7240), every unknown name is 400, and the response has
\`Preference-Applied: handling=strict\`.

### Problems

Errors are problem details (\`application/problem+json\`, RFC 9457): \`detail\` says what is wrong, where, and what to do. For
an invalid document or schema, \`findings\` has each error with its position. Besides the responses of each operation:

- A path that is not described here is 404. A method that a path does not have is 405 with \`Allow\`.
- \`HEAD\` has the response of \`GET\` without the body. \`OPTIONS\` has 204 and \`Allow\`.
- A request that is not valid HTTP is 400, 408 or 431, without \`instance\`.

### Lists

\`page\` (from 0) and \`size\` choose a page of a list. \`Content-Range\` has the positions of its records and the total;
\`*/0\` means that the list is empty. A page past the end is 416. The addresses in \`Link\` lead through the pages of one
and the same list while others write.

### Addresses

Every path also exists below \`/metastore\`, and collections also exist with a slash at their end. Addresses in a response,
in bodies and in \`Location\`, have the interface version and the mount of the request.
`.trim()

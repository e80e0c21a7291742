/** The description of the interface as a whole, in Markdown. */
export const introduction = `
The service stores **schemas** (JSON Schema, XML Schema) and **metadata documents** (JSON, XML), each with a record
that says what it is, in numbered versions, as plain files in a Git repository. Every document is validated on its way in.

### Versions and states

A schema gets a new version when its bytes change, a metadata record with every change. Without \`?version=\` the newest
is meant; every older one stays readable. Each change is a commit, and its id is the **ETag**: the record, its document
and every other representation of one state have the same.

A change has to say which state it changes: \`PUT\` and \`DELETE\` need \`If-Match\` with the ETag of the record (428
without, 412 where somebody was faster). Where nothing would change, nothing is stored.

A record says in \`state\` how far it may be changed: \`VOLATILE\` by whoever may write it, \`FIXED\` only by who may
administrate it. A first \`DELETE\` makes it \`REVOKED\`, seen only by who may administrate it, a second one \`GONE\`.

Every read and every list can be had as of another point of history with \`at\`: a commit, a tag, a branch or a time. What
may not be seen today is not seen at any point, and changes with \`at\` are refused.

### Access

Without a token, or where the server was started without \`--auth\`, requests need no credentials; with \`--auth\` a caller
without a token reads what is open to everybody, and changes nothing (401). A token is sent as \`Authorization: Bearer …\`;
one that is not valid is 401 on every path. What the caller lacks the permission for is 403, what is REVOKED and not
the caller's to see is 404 as if it had never been. Lists, their totals and the feed have what the caller may read.

### Representations

One address has several representations, chosen by \`Accept\`: the record, the document, a page for people. The type that
was parameters for is echoed; of several the one with the highest weight, among equals the first.

### Names that are not known

Query parameters and members of records that are not described are ignored, as existing clients send some. One that
looks like a misspelling of a name that is described (\`?szie=1\`, \`"lable"\`) is 400 and says which was meant. With
\`Prefer: handling=strict\` (RFC 7240) everything that is not described is 400, and the answer has
\`Preference-Applied: handling=strict\`.

### Problems

Whatever goes wrong is answered as problem details (\`application/problem+json\`, RFC 9457): \`detail\` says what, where and
what to do, and a document or schema that is not valid has \`findings\` with their places. Beside the answers named for an
operation:

- A path that is not described here is 404, a method a path does not have 405 with \`Allow\`.
- \`HEAD\` is answered as \`GET\` without the body, \`OPTIONS\` with 204 and \`Allow\`.
- What is no HTTP request is 400, 408 or 431, and has no \`instance\`.

### Lists

Lists are paged by \`page\` (from 0) and \`size\`; \`Content-Range\` says which part of how many was answered, and \`*/0\`
that there is nothing. A page past the end is 416. The addresses in \`Link\` lead from page to page of one and
the same list, whatever is written meanwhile.

### Where it is served

Every path is also to be had below \`/metastore\`, and collections with a slash at their end. Addresses in an answer, in
bodies as in \`Location\`, use the interface version and the mount of the request.
`.trim()

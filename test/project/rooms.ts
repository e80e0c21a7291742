/*
 * The lists of the test of rooms. A room is a folder of `src`. Its folders are sub-rooms, which may contain further
 * folders. Files directly in a room are its interface and its composition. They may import any file of the room.
 */

/** The sub-rooms of each room. A sub-room may import only from earlier ones. */
export const subRooms: Readonly<Record<string, readonly string[]>> = {
  core: ['json', 'xml', 'data-structures', 'scheduling', 'records'],
  store: [
    'file-system',
    'locks',
    'records',
    'workers',
    'process',
    'objects',
    'object-readers',
    'packs',
    'refs',
    'commit-history',
    'repository',
    'work-tree',
    'local-clone',
    'manual-edits',
    'remotes',
    'git-http',
    'write',
    'purge',
    'repair',
  ],
  catalog: [
    'database',
    'follow',
    'lists',
    'harvest-lists',
    'revision-history',
    'read/one-record',
    'read',
    'replay',
    'write',
    'stored-sets',
    'other-branches',
  ],
  validation: ['json', 'xml', 'workers'],
  exports: ['text', 'datacite', 'formats'],
  service: [
    'rules',
    'updates',
    'remotes',
    'comparisons',
    'git',
    'record-history',
    'records',
    'search',
    'harvesting',
    'exports',
    'transfer',
    'integrity',
    'operations',
  ],
  search: [
    'query-text',
    'index',
    'declared-fields',
    'match-words',
    'find/scores',
    'find/conditions',
    'find/columns',
    'find',
    'stored-sets',
    'processes',
    'past',
    'elasticsearch-queries',
    'elasticsearch',
    'connectors',
    'cluster',
    'cluster-queries',
  ],
  http: [
    'proxies',
    'checks',
    'record-formats',
    'auth',
    'observability',
    'html-pages',
    'rendering',
    'limits',
    'openapi',
    'bodies',
    'forms',
    'negotiation',
    'request',
    'response',
    'route-declaration',
    'server',
    'routes/search',
    'routes/records',
    'routes/search-proxy',
    'routes/changes',
    'routes/git',
    'routes/oai-pmh',
    'routes/operations',
    'routes/exports',
    'routes/html-pages',
    'routes/api-docs',
  ],
  cli: ['output', 'arguments', 'sessions', 'serve', 'commands'],
}

/**
 * The files of each sub-room that other sub-rooms may import. Files directly in their room may import all files. All
 * other files are private.
 */
export const publicFiles: Readonly<Record<string, string>> = {
  'core/json': 'json-size json-value source-locations strict-json try-parse',
  'core/xml': 'xml-encoding xml-tags',
  'core/data-structures':
    'admission-filter binary-search bloom-filter entry-cache lazy-value linked-queue number-list',
  'core/scheduling':
    'client-work event-loop-pauses fair-queue fair-shares next-round niceness one-at-a-time optimistic-retry',
  'core/records':
    'collection list-page list-query record record-defaults record-json-schema record-names record-queries revision schema-reference-texts',
  'store/file-system':
    'durable-files file-errors lossless-utf8 make-folder regular-files remove-on-signal spare-files temporary-folder',
  'store/locks': 'index-lock-turns lock-file merge-lock process-lock server-presence stale-locks',
  'store/records': 'record-json repository-layout validate-record',
  'store/process':
    'command-memory-limit git-binary git-command git-directory git-failure git-memory-estimate git-read-command launcher prefetch retry-while-packs-change run-program started-program',
  'store/workers': 'job-loop job-process thread-priority worker-thread',
  'store/objects':
    'blob-cache blob-reader blob-sizes commit-format hash-object object-errors object-reader paths-in-tree tag-format tree-builder tree-format',
  'store/object-readers': 'cat-file-reader isomorphic-git-reader',
  'store/packs':
    'background-merger buffered-writer index-format list-packs pack-format pack-reader pack-writer remove-stale-files',
  'store/refs': 'fast-forward list-refs move-branch packed-refs read-refs tags-and-branches',
  'store/commit-history': 'first-parent-history git-log object-walk',
  'store/repository':
    'connector-folder create-repository git-attributes git-config head-watch inspect-folder metastore-json missing-branch oai-sets open-repository purged-records served-branch-file served-git-directory staging-folder unfinished-purge',
  'store/work-tree': 'checkout copy-index edit-bases index-entries index-file temporary-files update-files',
  'store/local-clone': 'dry-run-commit install-check-hooks open-clone scratch-repository verify-signatures',
  'store/manual-edits': 'find-outdated-edits merge-lines undone-updates',
  'store/remotes': 'address initial-clone multi-writer-remote network-command push-outcome remote-branch',
  'store/git-http': 'dumb-http-files pack-service pre-receive-hook quarantine',
  'store/write': 'catalog-interface commit-signer run-under-writer-lock update-queue writer-interface',
  'store/purge': 'purge-record',
  'store/repair':
    'damaged-git-files damaged-refs fetch-copy fsck link-intact-files rebuild-objects temporary-repository',
  'catalog/database':
    'background-connection directory-files insert-buffer open-catalog-file sqlite-connection sqlite-errors sqlite-file table-definitions',
  'catalog/follow': 'branch-watcher head-change-notifier',
  'catalog/lists':
    'list-filter list-reader list-sql list-statistics membership-sql point-in-time point-in-time-sql visible-at-point',
  'catalog/harvest-lists': 'harvest-list harvest-query',
  'catalog/revision-history': 'change-feed first-parent-chain revision-cursor',
  'catalog/read/one-record': 'revision-log select-revision',
  'catalog/read':
    'long-list-reader neighbouring-revisions object-owners read-only-snapshot revision-batch-reader revision-batch-thread revision-cache revision-row',
  'catalog/replay': 'commits-to-revisions directory-changes directory-content revision-rows',
  'catalog/write': 'audiences',
  'catalog/stored-sets': 'membership-rows stored-set-rows',
  'catalog/other-branches': 'point-reader',
  'validation/json': 'ajv-compiler document-parser schema-dialect',
  'validation/xml': 'libxml2-wasm-engine libxmljs2-engine source-text xsd-compiler xsd-engine',
  'exports/text': 'clean-text iri rdf web-link xml-text',
  'exports/datacite': 'datacite-document datacite-xml export-context record-to-datacite rights',
  'exports/formats':
    'citation-styles crate-entities csl-json dcat dcat-catalog dublin-core linkset prov-o schema-org',
  'service/rules':
    'assemble-schema-bundle commit-rules find-record find-revision record-content record-rules request-rules schema-rules visibility visible-lists',
  'service/updates':
    'apply-change-set change-set-overlay commit-messages prepare-deletion prepare-metadata prepare-schema prepared-update record-drafts submit-update validation-request wanted-change',
  'service/remotes':
    'connection-status follow-source periodic-task push-to-mirror read-only watch-multi-writer-remote',
  'service/comparisons': 'client-processes compare comparisons text-diff',
  'service/git':
    'abandoned-edits answer-pre-receive-hook check-clone-commits commit-fault file-rules ref-name-rules report-undone-updates resolve-outdated-edits smart-http',
  'service/record-history':
    'changes-since diff-and-blame document-blame original-time provenance read-at-point record-log resolve-point revision-difference',
  'service/records':
    'assessment-slots document-information metadata-collection newest-record page-reader schema-collection schema-impact',
  'service/harvesting': 'harvest harvest-error harvest-formats harvest-sets harvester-access',
  'service/search': 'declared-narrowing index-lag narrowed-search search',
  'search/query-text': 'parse-query-text',
  'service/exports': 'export-writer exports public-records record-history-reader zip-writer',
  'search/index':
    'document-values first-documents fold-words index-rows index-thread-jobs record-values search-tables',
  'search/declared-fields': 'declared-fields read-range undeclared-field',
  'search/processes': 'search-processes',
  'search/elasticsearch-queries':
    'compile-query condition-builders field-names read-json value-conditions wildcard-pattern',
  'search/elasticsearch':
    'answer-search compile-search error-answer index-expressions source-filter xml-as-json',
  'search/match-words': 'check-search-size highlights match-expression',
  'search/find/scores': 'best-scores blob-numbers bm25 word-scores',
  'search/find/conditions': 'compile-condition field-lookup record-columns row-sets search-sql',
  'search/find/columns': 'field-columns hit-columns',
  'search/find': 'count-facets find-limits find-page find-jobs hit-order hits-sql opened-index page-cursor',
  'search/connectors': 'connector-control connector-files',
  'search/cluster': 'cluster-client declared-values index-names path-tokens',
  'search/stored-sets': 'stored-set-jobs stored-sets',
  'service/transfer':
    'import-report interchange-format read-folder read-json-lines ro-crate transfer write-folder',
  'service/integrity': 'damage-report complaint repair-report repair-repository verify-repository',
  'service/operations': 'connectors disk-space gauges health-check refresh-page-positions repository-status',
  'http/proxies': 'base-url client-network proxy-headers trusted-addresses',
  'http/checks': 'allowed-hosts safe-methods',
  'http/record-formats':
    'content-information document-text read-json-properties record-format record-format-interface record-urls render-json-properties search-index-entry',
  'http/auth':
    'bearer-authentication challenge claims identify-caller openid-issuer search-paths token-verification',
  'http/observability': 'prometheus-metrics request-log',
  'http/html-pages':
    'dashboard-and-list-pages document-preview html-layout html-template landing-page-urls page-urls problem-page record-details record-page search-page signposting stylesheet',
  'http/rendering': 'rendering-key',
  'http/limits': 'memory-budget rate-limit time-slices upload-throttle',
  'http/bodies': 'decode-json json-body receive-body',
  'http/forms': 'form-limits form-parts json-part multipart-form upload-limits',
  'http/negotiation': 'content-negotiation export-negotiation',
  'http/request':
    'at-parameter conditional-headers filter-parameters malformed-address page-parameters prefer-header query-parameters read-requested record-draft record-parameters request-parameter unknown-names version-parameters',
  'http/response':
    'gzip-body json-array list-response pagination-headers problem-details problem-forms problem-status record-response security-headers send-body server-sent-events',
  'http/openapi': 'record-v1-examples record-v2-schemas specification-types value-schemas',
  'http/server': 'listen',
  'http/route-declaration':
    'api-version problem-responses request-bodies request-names response-descriptions route',
  'http/routes/changes': 'change-set-form',
  'http/routes/search': 'list-by-query run-search search-answer search-parameters search-schemas',
  'http/routes/exports': 'adjacent-versions answer-export described-record export-content',
  'http/routes/oai-pmh': 'oai-options',
  'http/routes/html-pages': 'page-responses',
  'cli/output': 'check-report exit-codes outdated-edits-report output-file table terminal',
  'cli/arguments':
    'duration file-limits input-file option-table record-arguments role-name shared-options token-secret whole-number',
  'cli/sessions': 'end-in-order local-or-remote local-repository lock-wait session',
  'cli/serve': 'replication-options run-server server-options validate-server-options',
}

import { pluralize } from '../../../core/text/pluralize.js'
/*
 * The words of the application, in one place so that they can be translated.
 */

import { languageInWords, secondInWords } from '../../pages/html/spoken-names.js'

export { isAutomatic } from '../../pages/html/spoken-names.js'

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
const number = (count: number) => count.toLocaleString('en')

const mayInWords = {
  NONE: 'do nothing by this entry',
  READ: 'read',
  WRITE: 'read and change it',
  ADMINISTRATE: 'do everything',
}

export const words = {
  number,
  /** A language by its tag; a text that is no tag as it is. */
  languageOf: languageInWords,
  loading: 'Loading…',
  toDashboard: 'Go to the dashboard',
  remove: 'Remove',
  required: 'required',
  jsonTypes: {
    object: 'group of fields',
    array: 'list',
    string: 'text',
    number: 'number',
    integer: 'whole number',
    boolean: 'yes or no',
    null: 'nothing',
  },
  resource: 'What the document describes',
  begin: { document: 'New document', schema: 'Register a schema' },
  finding: {
    missing: (name: string) => `“${name}” is missing.`,
    unknown: (name: string) => `“${name}” is not known in this schema.`,
    /** Beside the label of a field of a form. */
    ofField: {
      missing: 'This is required, and still missing.',
      unknown: 'The schema does not know this field.',
    },
    types: {
      string: value => `“${value}” is not a text. Write it in double quotes.`,
      number: value => `“${value}” is not a number.`,
      integer: value => `“${value}” is not a whole number.`,
      boolean: value => `“${value}” is neither true nor false.`,
    } as Readonly<Record<string, (value: string) => string>>,
  },
  merge: {
    title: 'Put both changes together',
    stored: (version: number, author: string) =>
      `Version ${version} was stored by ${author} while you were editing`,
    changed: (version: number, author: string, places: readonly string[]) => {
      const shown = places.slice(0, 3).join(', ')
      const left = places.length - 3
      const more = left > 0 ? ` and ${left} more ${left === 1 ? 'place' : 'places'}` : ''
      return shown === ''
        ? `Version ${version} was stored by ${author} meanwhile.`
        : `Version ${version} by ${author} changed ${shown}${more}.`
    },
    bothIn: (version: number) => `Its changes and yours are in version ${version}.`,
    merged: {
      look: 'Its changes and yours are in the text below. Nothing is stored yet: look at it, then store it.',
      findings:
        'Its changes and yours are in the text below. It is not stored, because of what the server found.',
      same: 'It has your changes already: there is nothing left to store.',
    },
    conflicts: (count: number) =>
      count === 1
        ? 'Nothing is stored yet. One place was changed by both. Choose:'
        : `Nothing is stored yet. ${count} places were changed by both. Choose for each:`,
    chosen: (mine: number, all: number) =>
      `Put together, not stored yet: yours at ${mine} of the places that both have changed, theirs at ${all - mine}. Look at it, then store it.`,
    notStored: (version: number, author: string) =>
      `Not stored yet: version ${version} was stored meanwhile by ${author}. Choose above.`,
    place: (number: number) => `Place ${number}`,
    before: (version: number) => `Version ${version}, with which both began`,
    mine: 'Yours',
    theirs: 'Theirs',
    nothing: '(nothing)',
    incomplete: 'Choose one of both texts at every place.',
    merge: 'Put together',
  },
  files: {
    chooseFiles: 'Choose files',
    chooseFolder: 'Choose a folder',
    tooMany: (limit: number) => `There are more than ${limit} files. Choose fewer.`,
  },
  impact: {
    title: (name: string) => `What would break: ${name}`,
    section: 'What would break',
    documents: 'Documents that would be wrong',
    progress: 'Checked documents',
    see: 'See what would break',
    stop: 'Stop',
    again: 'Check again',
    change: 'Change the text',
    ofDraft: (version: number) =>
      `The stored documents are checked by the text that this browser keeps, made from version ${version}.`,
    ofNewest: (version: number) =>
      `The stored documents are checked by the newest version, ${version}, also those that follow an older one.`,
    state: {
      none: '',
      running: 'Checking…',
      done: 'All checked.',
      stopped: 'Stopped.',
      failed: 'Not finished.',
    },
    none: 'No document follows this schema yet.',
    counts: ({ checked, total, breaking, invalidBefore }: Readonly<Record<string, number>>) => {
      const all = `${checked} of ${total} documents checked, ${breaking === 0 ? 'none' : breaking} would break`
      return invalidBefore ? `${all}, ${invalidBefore} were wrong before.` : `${all}.`
    },
    wouldBreak: (count: number) =>
      count === 1 ? '1 document would break' : `${count} documents would break`,
    breaks: 'would break',
    wasWrong: 'was wrong before',
    follows: (version: number, schemaVersion: number) =>
      `Version ${version}, follows version ${schemaVersion} of the schema.`,
    more: (count: number) => (count === 1 ? 'And 1 more.' : `And ${count} more.`),
  },
  schemaChoice: {
    find: 'Find a schema by its title',
    found: (count: number) => (count === 1 ? '1 schema' : `${count} schemas`),
    notAll: (shown: number, total: number) =>
      `The first ${shown} of ${total} schemas. Type a word of the title to find others.`,
    noSchema: 'No schema has these words.',
    noSchemas: 'There is no schema yet that you may read. A document needs one.',
    version: (version: number) => `version ${version}`,
    schema: 'Schema',
  },
  missing: {
    title: 'There is no such page',
    text: 'The address is not one of a page of this application.',
  },
  failure: {
    title: 'Something went wrong',
    outdated:
      'A part of this page could not be loaded. Either the connection is gone, or the server has a newer version of the application.',
    reload: 'Load the page anew',
    notConnected: 'The server cannot be reached. Check the connection, then try again.',
    retry: 'Try again',
    findings: 'What the server found',
    noRecord: 'There is no such record, or you may not read it.',
    search: (name: string) => (name === '' ? 'Search for it' : `Search for “${name}”`),
    missingTitle: 'There is no such record',
    forbidden: 'You may not do this.',
    busy: 'The server is busy.',
  },
  busy: {
    left: (seconds: number) => (seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again…'),
    stop: 'Stop trying',
    now: 'Try again now',
    stopped: 'Not tried again by itself.',
  },
  connection: {
    lost: 'Not connected to the server.',
    kept: 'Your text is kept in this browser.',
  },
  tooLarge: {
    document: (size: string, limit: string) =>
      `The document has ${size}; the server takes at most ${limit}. Nothing was sent.`,
    request: (size: string, limit: string) =>
      `All parts have ${size} together; the server takes at most ${limit} in one request. Nothing was sent.`,
  },
  notText: (line: number, before: string) =>
    `The document is not in UTF-8: a byte of line ${line} is not${before === '' ? '' : `, after “${before.trim()}”`}. It stays as it is, and can be stored and downloaded, but not shown or edited as text.`,
  lost: {
    title: 'What is known of it',
    deleted: 'Deleted',
    added: 'Added',
    versions:
      'Its versions cannot be read here any more. The history of the Git repository has them: ask the people who run this service.',
  },
  bar: { search: 'Search and list', changes: 'What changed', drafts: 'Drafts' },
  keys: {
    title: 'Keys',
    close: 'Close',
    list: {
      '/': 'Go to the search field',
      '?': 'Show this list',
      'Ctrl+S': 'Store, or check and store, what is edited',
      'Ctrl+Enter': 'Check without storing',
      F8: 'Go to the next finding in a text',
      'Ctrl+Space': 'Complete a name or a value in a text',
      'F7, Shift+F7': 'Go to the next or previous change of a comparison',
      'Escape, then Tab': 'Leave a text: Tab alone indents',
    },
  },
  point: {
    choose: 'As of…',
    field: 'Tag, branch, commit or date',
    hint: 'Such as 14 Mar 2026, or 14 Mar 2026, 12:00 UTC. A date alone means its beginning.',
    unknown: (text: string) =>
      `“${text}” is no tag, branch, commit or date that this service knows. Write a date as 14 Mar 2026.`,
    show: 'Show',
    asOf: (name: string) => `As of ${name}`,
    banner: (name: string) => `As of ${name}. Nothing can be changed here.`,
    back: 'Back to now',
    unchangeable: 'Nothing can be changed here',
    why: 'You see the repository as it was. Go back to now to change something.',
  },
  states: {
    VOLATILE: 'Can still change',
    FIXED: 'Fixed: will not change',
    REVOKED: 'Withdrawn',
    GONE: 'Deleted for good',
  } as Readonly<Record<string, string>>,
  search: {
    title: 'Search and list',
    titleOf: (q: string) => `${q} – Search`,
    form: 'Records of this page',
    words: 'Words of the title, the id or the content',
    example: 'such as steel, "steel rod", year:2020..2024',
    order: 'Order',
    orders: {
      '': 'Best match first',
      'lastUpdate,desc': 'Last changed first',
      'lastUpdate,asc': 'Longest unchanged first',
      'id,asc': 'By id',
    } as Readonly<Record<string, string>>,
    search: 'Search',
    total: (total: number, isAtLeast: boolean) =>
      `${isAtLeast ? 'At least ' : ''}${number(total)} ${total === 1 ? 'record' : 'records'}`,
    rankedNewest:
      'So many records match that only the newest of them are ordered by how well they match. More words, or a choice, narrow the search.',
    behind: 'The newest changes are still being indexed and may be missing here.',
    nothingYet:
      'There is nothing yet that you may read. Begin with a schema, which says what documents have.',
    nothing: (q: string, isNarrowed: boolean) => {
      const ways = [
        ...(/\s/.test(q) ? ['fewer words'] : []),
        ...(q === '' ? [] : ['the beginning of a word (stee*)']),
        ...(isNarrowed ? ['fewer choices'] : []),
      ]
      return `Nothing that you may read matches. Try ${ways.join(', or ')}.`
    },
    narrow: (active: number) => (active === 0 ? 'Narrow the search' : `Narrow the search, ${active} active`),
    widen: 'Remove all choices',
    mine: 'Stored by me',
    mineHint: 'And those whose rights you were given to change.',
    mineOfNobody: 'Log in to see your records.',
    facets: {
      kind: 'Documents or schemas',
      schema: 'Schema',
      year: 'Year',
      author: 'Creator',
      licence: 'Licence',
      language: 'Language',
      state: 'State',
      type: 'Format',
    },
    facetKinds: { schema: 'Schemas', metadata: 'Documents' } as Readonly<Record<string, string>>,
    kinds: { schema: 'Schema', metadata: 'Document' },
    changed: 'Last changed',
    from: 'From',
    until: 'Until',
    atLeastCounts: 'So many records match that only the newest were counted: each number is a lower bound.',
    tooLarge: 'It takes too long to count them.',
    moreValues: (count: number) =>
      `${pluralize(count, 'record')} ${count === 1 ? 'has' : 'have'} further values.`,
    morePlaces: (count: number) => `and at ${pluralize(count, 'more place')}`,
    columns: { title: 'Title', id: 'Id', schema: 'Schema', version: 'Version', changed: 'Changed' },
    table: 'Records',
    part: (from: number) => `Results from ${from} on`,
    more: 'Show more',
    news: (count: number) =>
      count === 1
        ? '1 record has changed since this list was read:'
        : `${count} records have changed since this list was read:`,
    showNews: 'Show them in the list',
    key: 'The key / leads to the search field, ? shows all keys',
  },
  changes: {
    title: 'What changed',
    form: 'These changes',
    both: 'Both',
    schema: 'Schema',
    noSchema: 'No schema has this title, or more than one has. Choose one of those that are offered.',
    allSchemas: 'All',
    author: 'Name of the person',
    none: 'There is no such change.',
    nothingYet: 'Nothing has changed yet. Begin with a schema, which says what documents have.',
    came: (count: number) =>
      count === 1 ? '1 change came just now.' : `${number(count)} changes came just now.`,
    older: 'Show older changes',
    what: {
      created: { schema: 'added the schema', metadata: 'added the document' },
      updated: { schema: 'changed the schema', metadata: 'changed the document' },
    },
    restored: (version: number) => ({
      schema: `restored version ${version} of the schema`,
      metadata: `restored version ${version} of the document`,
    }),
    deleted: {
      created: 'Added, and deleted since:',
      updated: 'Changed, and deleted since:',
      deleted: 'Deleted:',
    },
  },
  record: {
    navigation: 'This record',
    landing: 'Record',
    versions: 'Versions',
    compare: 'Compare',
    blame: 'Who changed what',
    edit: 'Edit',
    access: 'Rights and state',
    revise: 'New version',
    impact: 'What would break',
  },
  reading: {
    titleOf: (title: string, version: number) => `${title}, version ${version}`,
    side: 'About this record',
    about: 'About',
    facts: 'Record',
    files: 'Files',
    year: 'Year',
    licence: 'Licence and access',
    keywords: 'Keywords',
    withdrawn: 'This record is withdrawn.',
    bringBack: 'Bring it back, or delete it for good',
    pinned: (version: number) => `You see version ${version} of this record.`,
    newest: 'The newest version',
    versionOf: (version: number, total: number) =>
      version === total ? `${version}, the newest` : `${version} of ${total}`,
    download: 'Download',
    downloaded: (name: string) => `Saved as ${name}.`,
    fromThis: { metadata: 'New document from this one', schemas: 'New document of this schema' },
    forEverybody: 'The page of this record for everybody, with all formats',
    cite: 'Cite',
    bibtex: 'BibTeX',
    copy: 'Copy',
    copied: 'Copied.',
  },
  news: {
    stored: (version: number, author: string) => `${author} has just stored version ${version}.`,
    deleted: 'This record has just been deleted.',
    show: 'Show it',
  },
  versions: {
    title: (name: string) => `Versions of ${name}`,
    table: 'Versions',
    count: (count: number) => (count === 1 ? '1 version' : `${count} versions`),
    from: 'From',
    to: 'To',
    fromVersion: (version: number) => `Compare from version ${version}`,
    toVersion: (version: number) => `Compare to version ${version}`,
    version: 'Version',
    change: 'Change',
    versionNumber: (version: number) => `Version ${version}`,
    newest: 'newest',
    compare: 'Compare the chosen versions',
    restore: 'Restore',
    restoreVersion: (version: number) => `Restore version ${version}`,
    older: 'Show older versions',
    unserved: (version: number, why: string) =>
      `Version ${version} is not served, because its commit breaks a rule: ${why}`,
    single: 'There is nothing to compare yet: this is the only version.',
    isRestored: (version: number) => `Version ${version} restored`,
    restored: (from: number, version: number) => `Version ${from} was stored again as version ${version}.`,
  },
  compare: {
    title: (from: number, to: number, name: string) => `${name}: version ${from} and version ${to}`,
    from: 'From version',
    to: 'To version',
    show: 'Compare',
    swap: 'Swap',
    asText: 'Side by side',
    asList: 'List of changes',
    views: 'How to compare',
    text: 'Text of both versions',
    previous: 'Previous change',
    next: 'Next change',
    keys: 'F7 goes to the next change, Shift+F7 to the previous one.',
    changes: (count: number) => (count === 1 ? '1 change in the text' : `${count} changes in the text`),
    values: (count: number) => (count === 1 ? '1 change of a value' : `${count} changes of values`),
    line: (line: number) => `line ${line}`,
    reached: (change: number, all: number, place: string, isWrapped: boolean) =>
      `Change ${change} of ${all}, ${place}${isWrapped ? '. The search has wrapped around.' : ''}`,
    same: 'The texts of both versions are the same.',
    document: { metadata: 'Document', schemas: 'Schema' },
    record: 'Record',
    files: 'Further files',
    noChanges: 'No changes.',
    languages:
      'One version is JSON and the other XML, so there is no list of changes. Compare them side by side.',
    column: { what: 'What', place: 'Place', before: 'Before', after: 'After', effect: 'Effect on documents' },
    operation: { add: '+ added', remove: '− removed', replace: '~ changed' },
    effect: {
      neutral: 'neutral: does not concern validity',
      compatible: 'compatible: every valid document stays valid',
      breaking: 'breaking: valid documents may become invalid',
    },
    whole: 'Show all lines',
    wholeEffect: 'All changes together',
    root: '(the whole)',
    long: (length: number) => `${length} characters`,
  },
  blame: {
    title: (name: string, version: number) => `Who changed what in ${name}, version ${version}`,
    table: 'Lines with their last change',
    version: (version: number) => `v${version}`,
    change: 'Last change',
    lines: 'Lines',
    text: 'Text',
    seeChange: (version: number) => `v${version}: see the change of version ${version}`,
    cut: (version: number) =>
      `There are too many versions. Only those since version ${version} were compared: its lines may be older.`,
  },
  restore: {
    title: (version: number, name: string) => `Restore version ${version} of ${name}`,
    explain: (version: number, next: number) =>
      `The text of version ${version} becomes version ${next}. All versions stay in the history.`,
    isNewest: 'This is the newest version: there is nothing to restore.',
    same: 'The text of this version is the same as that of the newest one: there is nothing to restore.',
    difference: 'What will change',
    checking: 'Checking against the schema…',
    schema: (title: string, id: string) => `“${title}” (${id})`,
    valid: (schema: string, version: number) => `The text is valid against ${schema}, version ${version}.`,
    invalid: (schema: string, version: number) =>
      `The text is not valid against ${schema}, version ${version}, so it cannot be stored:`,
    unchecked: 'The server checks the schema when it is stored.',
    store: (version: number, next: number) => `Store version ${version} as version ${next}`,
    storing: 'Storing…',
    conflict: 'Somebody has stored another version meanwhile. See the difference anew, then decide.',
    reload: 'See the difference to the newest version',
    lost: 'The connection was lost while the version was being stored. It may be stored or not. When you store again, the server is first asked whether it is there.',
  },
  edit: {
    views: 'How it is shown',
    view: { form: 'As form', fields: 'As fields', tree: 'As tree', text: 'As text' },
    title: (name: string) => `Edit ${name}`,
    label: (name: string) => `Text of ${name}`,
    keys: 'Ctrl+S stores, Ctrl+Enter checks.',
    completionKey: 'Ctrl+Space completes names and values.',
    textKeys: 'F8 goes to the next finding.',
    leave: 'In the text, Tab indents: Escape, then Tab leaves the editor.',
    noCompletion: (why: string) => `Names and values are not completed: ${why}`,
    store: (version: number) => `Store as version ${version}`,
    check: 'Check without storing',
    message: 'What did you change?',
    optional: 'optional',
    compare: (version: number) => `See what changes from version ${version}`,
    fieldChange: (label: string, before: string, after: string) => `${label}: “${before}” becomes “${after}”`,
    invalid: (count: number, others = 0) => {
      const all = count + others
      const findings = all === 1 ? '1 finding' : `${all} findings`
      return others === 0 ? `The server has ${findings}:` : `There ${all === 1 ? 'is' : 'are'} ${findings}:`
    },
    toFindings: (count: number) => (count === 1 ? 'See the finding' : `See the ${count} findings`),
    bar: 'Store and check',
    verdict: { none: '', checking: 'Checking…', valid: 'Valid', invalid: '', failed: 'Could not be checked' },
    line: (line: number) => `Line ${line}`,
    unchanged: 'The text is as it is stored: there is nothing to store.',
    stored: (version: number) => `Stored as version ${version}.`,
    unsaid: 'Your message is not in the history, because the newest version of the record broke a rule.',
    news: (version: number, author: string) =>
      `Version ${version} was stored by ${author} while you were editing. When you store, its changes are put together with yours.`,
    deleted: 'This record was deleted while you were editing. Your text is kept in this browser.',
    otherTab: 'This record is open for editing in another window of this browser. Here you can read it.',
  },
  drafts: {
    title: 'Drafts in this browser',
    explain: 'Texts that you have typed in this browser and not stored. Nobody else sees them.',
    none: 'There are no drafts.',
    forbidden: 'This browser does not let this page keep anything, so there are no drafts.',
    kept: 'kept',
    madeFrom: (version: number) => `made from version ${version}`,
    follows: (schema: string, version: number) => `, by the schema ${schema}, version ${version}`,
    isNew: { new: 'a new document', 'new-schema': 'a new schema' },
    throwAway: (name: string) => `Throw it away: ${name}`,
    link: 'All drafts in this browser',
  },
  draft: {
    title: 'A text that was not stored',
    found: 'This browser has kept a text that you have not stored, from',
    outdated: (version: number) =>
      `It was made from version ${version}. Another version was stored since; both are put together when you store.`,
    take: 'Continue with it',
    throwAway: 'Throw it away',
    sure: 'Throw the text away? It is stored nowhere else.',
    download: 'Save it as a file',
    refused:
      'This browser cannot keep your text: it has no room, or keeps nothing. Store it soon, or save it as a file.',
  },
  size: (bytes: number) => {
    const [unit, name] = bytes < 2 ** 20 ? [2 ** 10, 'KB'] : [2 ** 20, 'MB']
    return bytes < 2 ** 10 ? `${bytes} bytes` : `${(bytes / unit).toFixed(1)} ${name}`
  },
  login: {
    title: 'Log in',
    titleInside: 'You are logged in',
    titleOver: 'Log in to go on',
    logIn: 'Log in',
    logOut: 'Log out',
    close: 'Not now',
    asWhom: (displayName: string, name: string) => (displayName === name ? name : `${displayName} (${name})`),
    who: 'You are',
    valid: 'Valid',
    until: 'until',
    ended: 'Your login has ended.',
    groups: 'Groups',
    rights: 'On this server',
    administrator: 'You may do everything here.',
    creates: 'You may make new records, and what the rights of each record say.',
    noCreates: 'You may do what the rights of each record say.',
    explain: 'Logged in, you can read and change what your rights allow.',
    notNeeded: 'This server asks nobody to log in: everybody may do everything.',
    keep: 'Keep me logged in until I close this window',
    keepHint:
      'Otherwise the login ends when you leave or reload the page. This browser never keeps it longer than the window.',
    atIssuer: (host: string) => `Log in at ${host}`,
    goingTo: (host: string) => `Going to ${host}…`,
    leaves:
      'You leave this page for that of the service that knows you, and come back. What you have typed is kept as a draft.',
    insecure:
      'Logging in at an issuer needs a connection with TLS (https), which this page does not have. Paste a token, or ask the administrator.',
    paste: 'Log in with a token',
    token: 'Token',
    tokenHint:
      'A text that somebody has given you, or that a program has made for you. Handle it like a password.',
    use: 'Use this token',
    trying: 'Trying the token…',
    noToken: 'This is not a token: a token has letters, digits and the signs - . _ ~ + / only.',
    tokenRefused: (why: string) => `The server does not accept this token. ${why}`,
    finishing: 'Logging in…',
    again: 'Log in again',
    notBegun:
      'This window has not begun this login, so it was not continued. Somebody may have sent you the address; or you have loaded it twice.',
    issuerRefuses: (why: string) => `The issuer refuses the login: ${why}`,
    issuerUnreachable:
      'The issuer cannot be reached, or it does not allow this application to ask it (CORS). Try again later, or tell the administrator.',
    issuerWrong: (why: string) => `The issuer answers what this application does not understand: ${why}`,
    otherOrigin: (origin: string, issuer: string) =>
      `The issuer ${issuer} gives tokens at another address, ${origin}. This page may ask the issuer alone.`,
    goOn: 'Go on',
    loggedOut: 'You are logged out. This browser has no token any more.',
    readOnly: 'You may read this, and not change it.',
    administrators: 'Only the administrators of this server may change it.',
    whoMay: (names: readonly string[]) => `These may change it: ${names.join(', ')}.`,
    notTold:
      'Who may do this is told only to people who may read the record: ask the person from whom you have the address.',
    readOnlyOutside: 'You may read this. To change it, log in.',
  },
  access: {
    title: (name: string) => `Rights and state of ${name}`,
    rightsTitle: 'Who may do what',
    who: 'Who',
    may: 'May',
    permission: {
      NONE: 'nothing by this entry',
      READ: 'read it, with all its versions',
      WRITE: 'read and change it',
      ADMINISTRATE: 'do everything: change it, its rights and its state, and delete it',
    },
    everybody: 'Everybody, also without logging in',
    self: 'Whoever used this server while it asked nobody to log in (SELF)',
    you: 'you',
    yourGroup: 'your group',
    nobody: 'Nobody is named here. Only administrators may do anything.',
    readOnly:
      'You can read who may do what. Only people who may do everything with this record can change it.',
    byGroup:
      'You may change the state, and not this list: for that your own name has to stand in it, with the right to do everything.',
    locked: 'You cannot take this right from yourself. Somebody else who may do everything can.',
    open: 'This server asks nobody to log in: everybody may do everything, with this entry or without it.',
    mayOf: (name: string) => `What ${name} may do`,
    remove: (name: string) => `Remove ${name}`,
    addTitle: 'Give a right to somebody',
    one: 'A person or a group',
    name: 'Name of the person or group',
    nameHint: 'Exactly as the person logs in, or as the group is called there. Nobody checks that it exists.',
    add: 'Add to the list',
    store: 'Store the rights',
    undo: (count: number) => (count === 1 ? 'Undo 1 change' : `Undo ${count} changes`),
    empty: 'Somebody has to stay in the list: an empty one changes nothing.',
    unchanged: 'The rights are as they are stored: there is nothing to store.',
    stored: 'Stored.',
    conflict:
      'Somebody has stored another state of this record meanwhile. Below is what is stored now, with your changes of rights in it. Look at it, then store it.',
    stateTitle: 'State',
    state: {
      VOLATILE: 'Can still change: by everybody who may change the record.',
      FIXED:
        'Fixed: only people who may do everything can change the record. Others who may change it cannot.',
      REVOKED: 'Withdrawn: only people who may do everything find and read the record.',
      GONE: 'Deleted for good: only the history has the record.',
    },
    change: { fix: 'Fix it', open: 'Let it change again', withdraw: 'Withdraw it' },
    revive: 'Bring it back',
    changeHint: {
      fix: 'So that it stays as it is, such as after a publication.',
      open: 'Everybody who may change it can do so again.',
      withdraw: 'It disappears for all who may not do everything. It can be brought back.',
    },
    deleteTitle: 'Delete it for good',
    deleteExplain:
      'The id stays taken. The history keeps all versions; only somebody who works in the Git repository itself can bring the record back.',
    typeId: 'To delete it, type its id:',
    orTitle: ', or its title:',
    wrongId: 'This is neither the id nor the title of the record. Nothing was deleted.',
    deleteLater: 'To delete the record, withdraw it first: a withdrawn record can be deleted for good.',
    changed: {
      fix: 'The record is fixed.',
      open: 'The record can change again.',
      withdraw:
        'The record is withdrawn. Nobody but people who may do everything with it sees it; it can be deleted now.',
    },
    notStored: (name: string, permission: keyof typeof mayInWords | undefined) =>
      permission === undefined
        ? `${name} is not in the list any more. Not stored yet.`
        : `${name} may ${mayInWords[permission]}. Not stored yet.`,
    delete: 'Delete for good',
    goneTitle: (id: string) => `${id} is deleted`,
    gone: 'The record is deleted. The history keeps its versions.',
  },
  time: {
    day: (instant: Date) => day.format(instant),
    exact: secondInWords,
  },
} as const

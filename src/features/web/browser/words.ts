import { pluralize } from '../../../core/text/pluralize.js'
/*
 * The words of the application, so that they can be translated. Those of groups of pages are in files beside this one.
 */

import { languageInWords, secondInWords } from '../../pages/html/spoken-names.js'

export { isAutomatic } from '../../pages/html/spoken-names.js'

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
const number = (count: number) => count.toLocaleString('en')

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
  time: {
    day: (instant: Date) => day.format(instant),
    exact: secondInWords,
  },
} as const

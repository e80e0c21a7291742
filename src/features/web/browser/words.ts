/*
 * The words of the application, in one place so that they can be translated.
 */

export const words = {
  loading: 'Loading…',
  toDashboard: 'Go to the dashboard',
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
    search: 'Search for it',
    forbidden: 'You may not do this.',
    busy: (seconds: number) => `The server is busy. Try again in ${seconds} s.`,
  },
  record: {
    navigation: 'This record',
    landing: 'Record',
    versions: 'Versions',
    compare: 'Compare',
    blame: 'Who changed what',
    edit: 'Edit',
  },
  versions: {
    title: (name: string) => `Versions of ${name}`,
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
    changes: (count: number) => (count === 1 ? '1 change' : `${count} changes`),
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
    change: 'Last change',
    lines: 'Lines',
    text: 'Text',
    seeChange: (version: number) => `See the change of version ${version}`,
    first: 'Version 1',
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
    valid: (schema: string, version: number) => `The text is valid against ${schema}, version ${version}.`,
    invalid: (schema: string, version: number) =>
      `The text is not valid against ${schema}, version ${version}, so it cannot be stored:`,
    unchecked: 'The server checks the schema when it is stored.',
    store: (version: number, next: number) => `Store version ${version} as version ${next}`,
    storing: 'Storing…',
    conflict: 'Somebody has stored another version meanwhile. See the difference anew, then decide.',
    reload: 'See the difference to the newest version',
  },
  edit: {
    title: (name: string) => `Edit ${name}`,
    label: (name: string) => `Text of ${name}`,
    keys: 'Ctrl+S stores, Ctrl+Enter checks, F8 goes to the next finding. To leave the text by Tab, press Escape first.',
    store: (version: number) => `Store as version ${version}`,
    check: 'Check without storing',
    compare: (version: number) => `See what changes from version ${version}`,
    invalid: (count: number) =>
      count === 1 ? 'The server has 1 finding:' : `The server has ${count} findings:`,
    line: (line: number) => `Line ${line}`,
    unchanged: 'The text is as it is stored: there is nothing to store.',
    merged: 'Both changes are in the text below. Look at it, then store it.',
    stored: (version: number) => `Stored as version ${version}.`,
    news: (version: number, author: string) =>
      `Version ${version} was stored by ${author} while you were editing. When you store, both changes are put together.`,
    deleted: 'This record was deleted while you were editing. Your text is kept in this browser.',
    otherTab: 'This record is open for editing in another window of this browser. Here you can read it.',
  },
  merge: {
    title: 'Put both changes together',
    stored: (version: number, author: string) =>
      `Version ${version} was stored by ${author} while you were editing.`,
    noConflict: 'Your changes and theirs are in different lines.',
    conflicts: (count: number) =>
      count === 1
        ? 'One place was changed by both. Choose:'
        : `${count} places were changed by both. Choose for each:`,
    place: (number: number) => `Place ${number}`,
    mine: 'Mine',
    theirs: 'Theirs',
    nothing: '(nothing)',
    incomplete: 'Choose one of both texts at every place.',
    merge: 'Put together',
  },
  drafts: {
    title: 'Drafts in this browser',
    explain: 'Texts that you have typed in this browser and not stored. Nobody else sees them.',
    none: 'There are no drafts.',
    kept: 'kept',
    madeFrom: (version: number) => `made from version ${version}`,
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
    download: 'Save it as a file',
    refused:
      'This browser cannot keep your text: it has no room, or keeps nothing. Store it soon, or save it as a file.',
  },
  time: {
    exact: (instant: Date) =>
      instant
        .toISOString()
        .replace(/\.\d+Z$/, 'Z')
        .replace('T', ' '),
  },
} as const

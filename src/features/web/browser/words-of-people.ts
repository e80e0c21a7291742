/*
 * The words of logging in, and of the rights and the state of a record.
 */

const mayInWords = {
  NONE: 'do nothing by this entry',
  READ: 'read',
  WRITE: 'read and change it',
  ADMINISTRATE: 'do everything',
}

export const peopleWords = {
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
}

/*
 * The words of the pages that make and change something: forms and uploads. Pages for reading load without
 * them.
 */

import { words } from './words.js'

export const writingWords = {
  newDocument: {
    titleOf: (schema: string) => `New document: ${schema}`,
    choose: 'Choose the schema that says what the document has.',
    chooseOther: 'Choose another schema',
    copyOf: (title: string) => `It begins with a copy of ${title}.`,
    label: 'Text of the new document',
    beginWith: 'Begin with element',
    beginHint: 'Another element replaces the text. Ctrl+Z in the text brings it back.',
    record: 'About the document',
    fields: { title: 'Title', resource: words.resource, id: 'Id' },
    hints: {
      title: 'How lists and searches name the document. Empty: by the title that the document has itself.',
      resource:
        'The address or identifier of the data set, sample or file, such as https://doi.org/10.5072/example.',
      id: 'The name of the record in addresses. Without your choice it is a random one.',
    },
    ownId: 'Choose the id yourself',
    missing: {
      resource: 'What the document describes is missing.',
      id: 'The id is missing.',
    },
    unnamed: (schema: string) => `New document (${schema})`,
    store: 'Store',
    stored: 'Stored. The page of the document opens…',
    otherTab:
      'Another window of this browser has a new document of this schema open. What you type here is not kept until you store it.',
    lost: 'The connection was lost while the document was being stored. It may be stored or not. When you store again, the server is first asked whether it is there.',
    taken: 'There is such a document already:',
    takenHidden: 'There is such a document already, which you may not read.',
    editThat: 'Edit that one',
    valid: (schema: string, version: number) =>
      `The document is valid against ${schema}, version ${version}.`,
  },
  upload: {
    title: 'Upload documents',
    files: 'Documents to upload',
    explain:
      'Drop JSON or XML files here, or a folder with them. Each is checked by its schema; nothing is stored until you say so, then all together.',
    reading: 'Reading the files…',
    table: 'Chosen files',
    column: {
      include: 'Store',
      file: 'File',
      schema: 'Schema',
      resource: 'What it describes',
      result: 'Result',
    },
    include: (path: string) => `Store ${path}`,
    state: {
      typing: 'Changed',
      waiting: 'Not checked yet',
      checking: 'Checking…',
      valid: 'Valid',
      failed: 'Could not be checked',
    },
    validLeftOut: 'Valid, but left out',
    findings: (count: number) => (count === 1 ? '1 finding' : `${count} findings`),
    action: { open: 'Open', putRight: 'Put right', close: 'Close' },
    actionOn: {
      open: (path: string) => `Open ${path}`,
      putRight: (path: string) => `Put right ${path}`,
      close: (path: string) => `Close ${path}`,
    },
    file: (path: string) => `The file ${path}`,
    text: (path: string) => `Text of ${path}`,
    noLanguage: 'The file is neither JSON nor XML.',
    noSchema: 'Choose the schema of this file.',
    severalSchemas: 'Several schemas have the name that this file gives. Choose one of them.',
    chooseSchema: 'Choose a schema',
    schemaOf: (path: string) => `Schema of ${path}`,
    editThat: (title: string) => `Edit that one in another window: ${title}`,
    repeated: (path: string) => `It describes the same as ${path}, by the same schema.`,
    tooLarge: (size: string, limit: string) => `The file has ${size}; the server takes at most ${limit}.`,
    checked: (done: number, all: number) => `${done} of ${all} checked`,
    summary: (all: number, wrong: number, left: number) =>
      `${all === 1 ? '1 file' : `${all} files`}: ${wrong === 0 ? 'none' : wrong} with findings, ${left === 0 ? 'none' : left} left out.`,
    onlyFindings: 'Show only files with findings',
    all: 'For all files',
    schemaForAll: 'Schema for all files of its language',
    beginning: 'What the files describe begins with',
    beginningHint:
      'The path of each file follows, without its ending: https://example.org/samples/ and rods/rod-1.',
    use: 'Use for all',
    store: (count: number) => (count === 1 ? 'Store 1 document' : `Store ${count} documents`),
    nothing: 'No file is chosen to be stored.',
    wrong: (count: number) =>
      count === 1
        ? 'One file that would be stored has findings. Put it right, or leave it out.'
        : `${count} files that would be stored have findings. Put them right, or leave them out.`,
    leaveOut: 'Leave out files with findings',
    tooMany: (count: number, limit: number) =>
      `${count} files are chosen; one commit takes at most ${limit}. Leave out some, and store them afterwards. Nothing was sent.`,
    tooMuch: (size: string, limit: string) =>
      `The files have ${size} together; the server takes at most ${limit} in one commit. Leave out some, and store them afterwards. Nothing was sent.`,
    message: (count: number) => (count === 1 ? 'Add 1 document' : `Add ${count} documents`),
    refused: (path: string) => `The server has refused ${path}, so nothing was stored.`,
    lost: 'The connection was lost while the files were being stored. They may be stored or not. When you store again, the server is first asked whether they are there.',
    stored: (count: number) =>
      count === 1 ? '1 document was stored in one commit' : `${count} documents were stored in one commit`,
    storedList: 'Stored documents',
  },
  form: {
    closed: (why: string, line: number, column: number) =>
      `The text cannot be shown as a form: line ${line}, column ${column}: ${why}. Put it right as text.`,
    lastGood: 'These are the fields as they were before. They stay closed until the text is put right.',
    noSchema: (why: string) =>
      `The schema cannot be shown as a form: ${why} Edit the document as text; the server checks it.`,
    faults: {
      RepeatedMember: 'a field stands there a second time',
      NestedTooDeeply: 'it is nested too deeply',
      InvalidSymbol: 'this is no JSON',
      InvalidNumberFormat: 'this is no number',
      PropertyNameExpected: 'a name in quotes is missing',
      ValueExpected: 'a value is missing',
      ColonExpected: 'a colon is missing',
      CommaExpected: 'a comma is missing',
      CloseBraceExpected: 'a closing brace is missing',
      CloseBracketExpected: 'a closing bracket is missing',
      EndOfFileExpected: 'something follows after the end of the document',
      InvalidCommentToken: 'JSON has no comments',
      UnexpectedEndOfString: 'a closing quote is missing',
    } as Readonly<Record<string, string>>,
    document: 'Document',
    empty: '(empty)',
    nothing: 'Not stated',
    yes: 'Yes',
    no: 'No',
    newMember: 'Name of a further field',
    addMember: 'Add the field',
    taken: (name: string) => `“${name}” is there already.`,
    item: (number: number) => `Item ${number}`,
    items: (count: number) => (count === 0 ? '(no items)' : count === 1 ? '(1 item)' : `(${count} items)`),
    addItem: (label: string) => `Add to ${label}`,
    removeItem: (number: number, label: string) => `Remove item ${number} of ${label}`,
    more: 'More',
    less: 'Less',
    itemRemoved: (number: number, left: number) => `Item ${number} removed, ${left} left.`,
    itemMoved: (number: number, count: number) => `Now item ${number} of ${count}.`,
    removed: (label: string) => `${label} removed.`,
    remove: (label: string) => `Remove ${label}`,
    moveUp: (number: number, label: string) => `Move item ${number} of ${label} up`,
    moveDown: (number: number, label: string) => `Move item ${number} of ${label} down`,
    showMore: (count: number) => `Show ${count} more`,
    kindOf: (label: string) => `Kind of ${label}`,
    otherValue: (label: string) => `${label} (not one of the values of the schema)`,
    example: (text: string) => `Such as ${text}`,
    notJson: (why: string) => `This is not JSON yet, so the document does not have it: ${why}`,
    notDrawn: 'This part of the schema cannot be shown as fields. Write JSON.',
    otherFile: (reference: string) =>
      `The schema describes this in another file, ${reference}. Write JSON; the server checks it.`,
    tooDeep: 'This is nested too deeply for fields. Write JSON.',
    otherType: (type: string) => `The schema wants this as another type: ${type}. Write JSON.`,
    limits: {
      minimum: (limit: number) => [`At least ${limit}`],
      exclusiveMinimum: (limit: number) => [`More than ${limit}`],
      maximum: (limit: number) => [`At most ${limit}`],
      exclusiveMaximum: (limit: number) => [`Less than ${limit}`],
      minLength: (limit: number) => (limit > 1 ? [`At least ${limit} characters`] : []),
      maxLength: (limit: number) => [`At most ${limit} characters`],
    },
  },
} as const

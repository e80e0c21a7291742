/*
 * The words of the pages that make and change schemas.
 */

export const schemaWords = {
  schema: {
    newExplain:
      'A schema says what documents have. Give its files, or write it below. It is checked before it is stored.',
    files: 'Files of the schema',
    drop: 'Drop a JSON Schema or an XML Schema (XSD) here, with the files that it refers to, or the folder with all of them.',
    mainFile: 'Main file',
    mainFileHint: 'Documents follow this file. The others are stored beside it, for its references.',
    outside: (paths: string) =>
      `These files are not below the folder of the main file, so they are not sent: ${paths}`,
    storedFiles: 'Files that are stored already stay if the schema uses them and you give no others.',
    title: 'Title',
    id: 'Name in addresses (id)',
    idHint: 'Letters without capitals, digits, dots, hyphens. It cannot be changed later.',
    noId: 'Give the schema an id.',
    language: { JSON: 'This is read as a JSON Schema.', XML: 'This is read as an XML Schema (XSD).' },
    text: 'Text of the schema',
    register: 'Register the schema',
    registered: 'Registered.',
    unnamed: 'New schema',
    otherTab:
      'Another window of this browser has a new schema open. What you type here is not kept until you register it.',
    lost: 'The connection was lost while the schema was being registered. It may be registered or not. When you register again, the server is first asked whether it is there.',
    valid: 'The server can use this schema.',
    taken: (id: string, title: string) =>
      title === id ? `There is a schema “${id}” already.` : `There is a schema “${id}” already: ${title}.`,
    reviseThat: 'Make a new version of that one',
    storeAllTheSame: (version: number) => `Store as version ${version} all the same`,
    example: 'Try it on an example document',
    exampleFile: 'Example from a file',
    exampleText: 'Example',
    tryExample: 'Check the example',
    exampleValid: 'The example is valid by this schema.',
    exampleInvalid: 'The example is not valid by this schema:',
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
} as const

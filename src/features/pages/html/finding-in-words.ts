/** What the sentences of validators mean, for people. The browser application imports this module, too. */

type Sentence = readonly [form: RegExp, say: (...parts: readonly string[]) => string]

/** Sentences of validators, and what they mean. */
const validatorSentences: readonly Sentence[] = [
  [
    /must NOT have (?:additional|unevaluated) properties/i,
    () => 'There is a member that the schema does not know. Check its spelling, or remove it.',
  ],
  [/must have (?:the member|required property) ["'](.+)["']/i, name => `The member "${name}" is missing.`],
  [
    /must be equal to one of the allowed values/i,
    () => 'The value is not one of those that the schema lists.',
  ],
  [/must be equal to constant/i, () => 'The schema permits one value only, and this is another one.'],
  [/must match format "(.+)"/i, format => `This is not written as "${format}" demands.`],
  [/must match pattern/i, () => 'The text does not have the form that the schema demands.'],
  [
    /must be (string|number|integer|boolean|array|object|null)/i,
    type => `The schema wants ${typeWords.get(type.toLowerCase()) ?? type} here.`,
  ],
  [
    /must match exactly one schema in oneOf|must match a schema in anyOf/i,
    () => 'The value fits none, or several, of the alternatives of the schema.',
  ],
  [/must NOT have fewer than (\d+)/i, number => `There are too few: at least ${number}.`],
  [/must NOT have more than (\d+)/i, number => `There are too many: at most ${number}.`],
  [
    /Element '([^']+)': This element is not expected/,
    name => `The element "${localName(name)}" may not stand here: the schema wants another one, or none.`,
  ],
  [
    /Element '([^']+)': Missing child element/,
    name => `In the element "${localName(name)}" something is missing.`,
  ],
  [/The attribute '([^']+)' is required but missing/, name => `The attribute "${name}" is missing.`],
  [
    /is not a valid value of the atomic type/,
    () => 'The text does not have the type that the schema demands.',
  ],
  [
    /not well-formed JSON: (.{1,30}) expected, (?:it ends here|found (".{1,150}"))\./,
    (expected, found) => (found ? syntaxInWords(expected, found) : 'The text ends too early.'),
  ],
]

/**
 * The first fault of a text that is no JSON.
 * @param found what stands there, as a JSON string
 * @see src/core/json/source-locations.ts
 */
function syntaxInWords(expected: string, found: string): string {
  const [there = ''] = (JSON.parse(found) as string).split(/[\r\n]/)
  if (/^[}\]]/.test(there) && /name|value/.test(expected))
    return `Before ${there.charAt(0)} a value is missing, or there is a comma too many.`
  if (expected === 'the end') return `After the end of the document follows ${there}.`
  return `${missingSigns.get(expected) ?? 'A comma is missing'} before ${there}.`
}

const missingSigns = new Map([
  ['":"', 'A colon is missing'],
  ['a value', 'A value is missing'],
  ['a name in double quotes', 'A name in double quotes is missing'],
])

/** The name of an element without its namespace, which a validator writes in braces. */
function localName(name = ''): string {
  return name.slice(name.lastIndexOf('}') + 1)
}

const typeWords = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a group of members'],
  ['null', 'no value'],
])

/** What the sentence of a validator means; undefined for others. */
export function findingInWords(message: string): string | undefined {
  for (const [form, say] of validatorSentences) {
    const found = form.exec(message)
    if (found) return say(...found.slice(1))
  }
  return undefined
}

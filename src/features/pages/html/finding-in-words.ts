/** What the sentences of validators mean, for people. The browser application imports this module, too. */

type Sentence = readonly [form: RegExp, say: (...parts: readonly string[]) => string]

/** Sentences of validators, and what they mean. */
const validatorSentences: readonly Sentence[] = [
  [
    /must NOT have (?:additional|unevaluated) properties/i,
    () => 'There is a field that the schema does not know. Check its spelling, or remove it.',
  ],
  [/must have (?:the member|required property) ["'](.+)["']/i, name => `The field "${name}" is missing.`],
  [
    /must be equal to one of the allowed values|\[facet 'enumeration'\]/i,
    () => 'The value is not one of those that the schema lists.',
  ],
  [/must be equal to constant/i, () => 'The schema permits one value only, and this is another one.'],
  [/must match format "(.+)"/i, format => `This is not written as "${format}" demands.`],
  [
    /must match pattern|\[facet 'pattern'\]/i,
    () => 'The text does not have the form that the schema demands.',
  ],
  [
    /must be (string|number|integer|boolean|array|object|null)/i,
    type => `The schema wants ${typeWords.get(type.toLowerCase()) ?? type} here.`,
  ],
  [
    /must match exactly one schema in oneOf|must match a schema in anyOf/i,
    () => 'The value fits none, or several, of the alternatives of the schema.',
  ],
  [/must be multiple of ([\d.eE+-]+)/i, number => `The number must be a multiple of ${number}.`],
  [
    /must be (>=|<=|>|<) ([\d.eE+-]+)/i,
    (operator, limit) => `The number must be ${limitWords.get(operator)} ${limit}.`,
  ],
  [
    /must NOT have duplicate items \(items ## (\d+) and (\d+) are identical\)/i,
    (...items) => {
      const [first, second] = items.map(item => Number(item) + 1).sort((one, other) => one - other)
      return `Two items of the list are the same: item ${first} and item ${second}.`
    },
  ],
  [
    /must NOT have (?:additional|unevaluated|more than \d+) items/i,
    () => 'The list has more items than the schema permits.',
  ],
  [
    /must contain at least (\d+)(?: and no more than \d+)? valid item/i,
    number => `Too few items of the list are as the schema demands: at least ${number} must be.`,
  ],
  [/when property (\S+) is present/i, name => `A document with the field "${name}" must have others too.`],
  [
    /property name must be valid/i,
    () => 'The name of a field does not have the form that the schema demands.',
  ],
  [/must NOT be valid|boolean schema is false/i, () => 'The schema forbids this value here.'],
  [
    /must match "(?:then|else)" schema/i,
    () => 'A condition of the schema applies here, and what it demands is missing or different.',
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
  [/The attribute '([^']+)' is not allowed/, name => `The schema does not know the attribute "${name}".`],
  [
    /Character content(?: other than whitespace)? is not allowed/,
    () => 'No text may stand here, only elements or nothing.',
  ],
  [
    /No matching global declaration available for the validation root/,
    () => 'The schema does not describe documents that begin with this element.',
  ],
  [
    /(minimum|maximum) value allowed \('([^']+)'\)|must be (greater|less) than '([^']+)'/,
    (end, limit, than, other) => `The number must be ${limitWords.get(end ?? than ?? '')} ${limit ?? other}.`,
  ],
  [
    /this (underruns|exceeds) the allowed (?:minimum|maximum) length of '(\d+)'/,
    (how, limit) =>
      how === 'underruns'
        ? `The text is too short: at least ${limit}.`
        : `The text is too long: at most ${limit}.`,
  ],
  [
    /is not a valid value of the (?:local )?(?:atomic|union|list) type/,
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

/** By the operator of JSON Schema, or the word of XML Schema. */
const limitWords = new Map([
  ['>=', 'at least'],
  ['<=', 'at most'],
  ['>', 'more than'],
  ['<', 'less than'],
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['greater', 'more than'],
  ['less', 'less than'],
])

const typeWords = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a group of fields'],
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

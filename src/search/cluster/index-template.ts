import { foldedWords } from '../index/fold-words.js'
import type { IndexNames } from './index-names.js'

/**
 * Version of the documents and their mapping in the cluster. A cluster with documents of another version is filled
 * again.
 */
export const documentVersion = 2

/** Fields of one index: four for each path into documents. A document with more is indexed by its words only. */
const mostFields = 4000

/** Indexes a text as words, as a whole value, and as a number or a time if the text is one. */
const scalar = {
  type: 'text',
  analyzer: 'words',
  fields: {
    keyword: { type: 'keyword', ignore_above: 1024 },
    number: { type: 'double', ignore_malformed: true },
    date: { type: 'date', format: 'strict_date_optional_time||epoch_millis', ignore_malformed: true },
  },
}
const name = { type: 'keyword', ignore_above: 8191 }
const words = { type: 'text', analyzer: 'words' }
const time = { type: 'date', format: 'epoch_millis' }

/** All types of scalars have one mapping, so that documents with values of different types do not conflict. */
const scalarTypes = ['string', 'long', 'double', 'boolean', 'date']

/** The index template for the documents of a repository. */
export function indexTemplate(names: IndexNames): object {
  return {
    index_patterns: [names.pattern],
    priority: 200,
    template: {
      settings: {
        index: { number_of_shards: 1, 'mapping.total_fields.limit': mostFields },
        analysis: {
          char_filter: {
            letters: { type: 'mapping', mappings: foldedLetters() },
            marks: { type: 'pattern_replace', pattern: '\\p{M}+', replacement: '' },
          },
          tokenizer: { words: { type: 'pattern', pattern: '[^\\p{L}\\p{N}\\p{Co}]+' } },
          filter: { shortened: { type: 'truncate', length: 100 } },
          analyzer: {
            words: {
              type: 'custom',
              char_filter: ['letters', 'marks'],
              tokenizer: 'words',
              filter: ['lowercase', 'shortened'],
            },
          },
        },
      },
      mappings: {
        date_detection: false,
        numeric_detection: false,
        dynamic: false,
        dynamic_templates: scalarTypes.map(type => ({
          [`scalar_${type}`]: { match_mapping_type: type, path_match: 'metadata*', mapping: scalar },
        })),
        properties: {
          id: name,
          pid: name,
          created: time,
          lastUpdate: time,
          read: name,
          metadataRecord: { type: 'object', dynamic: true },
          metadataDocument: { type: 'object', dynamic: true },
          metadataText: words,
          metastore: {
            properties: {
              kind: name,
              sequence: { type: 'long' },
              title: words,
              text: words,
              year: { type: 'integer', ignore_malformed: true },
              words: { type: 'object', dynamic: false, properties: wordFields },
              values: { type: 'object', dynamic: false, properties: valueFields },
            },
          },
        },
      },
    },
  }
}

/** Record fields that are searched for words. */
const textFields = [
  'title',
  'creator',
  'publisher',
  'subject',
  'description',
  'licence',
  'resource',
  'id',
  'pid',
  'schema',
  'language',
  'year',
  'state',
  'type',
  'kind',
] as const

const wordFields = Object.fromEntries(textFields.map(field => [field, words]))
const valueFields = Object.fromEntries(textFields.map(field => [field, name]))

/** Letters that {@link foldedWords} changes more than to lower case. Syllables of Hangul and ideographs are left out. */
function foldedLetters(): readonly string[] {
  const letters = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code)).filter(letter =>
    /[^\0-\x7f\p{Script=Hangul}\p{Script=Han}]/u.test(letter),
  )
  return letters.flatMap(letter => {
    const [folded] = /\p{L}/u.test(letter) ? foldedWords(letter) : []
    return folded === undefined || folded === letter.toLowerCase() ? [] : [`${letter} => ${folded}`]
  })
}

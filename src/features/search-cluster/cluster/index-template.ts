import { rangeKindOf } from '../../search/range-bounds.js'
import { recordFields } from '../../search/search-condition.js'
import { foldedWords } from '../../search/values/fold-words.js'
import { valueFields as foldedFields, ownerField } from '../../search/values/record-values.js'
import { typesOfForms } from './declared-values.js'
import type { IndexNames } from './index-names.js'
import { endingPattern } from './path-tokens.js'

/**
 * Version of the mapping of documents in the cluster, and of what queries ask for. A cluster with documents of another
 * version is filled again, and does not answer meanwhile.
 */
export const documentVersion = 7

/**
 * Limit of the fields of one index, two for each path into documents. Beyond it, paths do not become fields: searches
 * of this server need no such fields, but clients that ask the cluster themselves do.
 */
const maxFields = 1500
/** Limit of the fields of an index that takes no more paths: schemas may still declare further fields. */
const maxFieldsOfFullIndex = 2500

/** Indexes a text as words and as a whole value. */
const scalar = {
  type: 'text',
  analyzer: 'words',
  fields: { keyword: { type: 'keyword', ignore_above: 1024 } },
}
const name = { type: 'keyword', ignore_above: 8191 }
const words = { type: 'text', analyzer: 'words' }
const time = { type: 'date', format: 'epoch_millis' }

/** All types of scalars have one mapping, so that documents with values of different types do not conflict. */
const scalarTypes = ['string', 'long', 'double', 'boolean', 'date']

/** The settings and the mapping of an index that takes no more paths as fields. */
export const fullIndex = {
  settings: { 'index.mapping.total_fields.limit': maxFieldsOfFullIndex },
  mapping: { properties: { metadataDocument: { type: 'object', dynamic: false } } },
}

/** The index template for the documents of a repository. */
export function indexTemplate(names: IndexNames): object {
  return {
    index_patterns: [names.pattern],
    priority: 200,
    template: {
      settings: {
        index: { number_of_shards: 1, 'mapping.total_fields.limit': maxFields },
        analysis: {
          char_filter: {
            letters: { type: 'mapping', mappings: foldedLetters() },
            marks: { type: 'pattern_replace', pattern: '\\p{M}+', replacement: '' },
          },
          // Words have at most 100 characters, paths 300, each of which may be escaped.
          tokenizer: {
            tokens: { type: 'whitespace', max_token_length: 4000 },
            words: { type: 'pattern', pattern: '[^\\p{L}\\p{N}\\p{Co}]+' },
          },
          filter: {
            shortened: { type: 'truncate', length: 100 },
            endings: { type: 'pattern_capture', preserve_original: true, patterns: [endingPattern] },
          },
          analyzer: {
            tokens: { type: 'custom', tokenizer: 'tokens' },
            tokens_and_endings: { type: 'custom', tokenizer: 'tokens', filter: ['endings'] },
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
        // `paths` is several times as long as the document, and no search reads it.
        _source: { excludes: ['metastore.paths'] },
        date_detection: false,
        numeric_detection: false,
        dynamic: false,
        dynamic_templates: [
          ...scalarTypes.map(type => ({
            [`scalar_${type}`]: { match_mapping_type: type, path_match: 'metadata*', mapping: scalar },
          })),
          ...Object.entries(typesOfForms).map(([form, type]) => ({
            [`declared_${form}`]: { path_match: `metastore.declared.${form}.*`, mapping: { type } },
          })),
        ],
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
              version: { type: 'long' },
              title: words,
              text: words,
              paths: { type: 'text', analyzer: 'tokens_and_endings', search_analyzer: 'tokens' },
              declared: { type: 'object', dynamic: true },
              declares: { type: 'keyword', index: false, doc_values: false },
              // `double`, so that any number can be compared with a year.
              year: { type: 'double', ignore_malformed: true },
              words: { type: 'object', dynamic: false, properties: wordFields },
              values: { type: 'object', dynamic: false, properties: valueFields },
              shown: { type: 'object', dynamic: false, properties: shownFields },
            },
          },
        },
      },
    },
  }
}

/** Record fields that are searched for words: all but times. */
const textFields = recordFields.filter(field => rangeKindOf(field) !== 'date')

const wordFields = Object.fromEntries(textFields.map(field => [field, words]))
const valueFields = Object.fromEntries([...textFields, ownerField].map(field => [field, name]))
const shownFields = Object.fromEntries([...foldedFields].map(field => [field, name]))

/** Mappings of the letters that {@link foldedWords} changes more than to lower case, without Hangul and ideographs. */
function foldedLetters(): readonly string[] {
  const letters = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code)).filter(letter =>
    /[^\0-\x7f\p{Script=Hangul}\p{Script=Han}]/u.test(letter),
  )
  return letters.flatMap(letter => {
    const [folded] = /\p{L}/u.test(letter) ? foldedWords(letter) : []
    return folded === undefined || folded === letter.toLowerCase() ? [] : [`${letter} => ${folded}`]
  })
}

import { nameInWords } from '../../../core/text/name-in-words.js'
import { isNode } from '../../../validation/json/schema-location.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import { countOf, type JsonDeclaration, type JsonMember, shortText } from './declaration.js'
import { type JsonSchemaFiles, openJsonSchemaFiles, type Place } from './json-schema-files.js'

/*
 * Reads JSON Schema, drafts 04 to 2020-12, as declarations. A schema object, the targets of its references and the
 * members of its `allOf` apply together: they are the layers of one declaration.
 */

/** The declaration of the documents of a JSON schema; undefined if the schema is no JSON object. */
export function readJsonDeclaration(bundle: SchemaBundle): JsonDeclaration | undefined {
  const files = openJsonSchemaFiles(bundle)
  return files.root && declarationOf([files.root], files)
}

/**
 * Limits of the layers, members and alternatives of one declaration, of the values and names that are compared, and of the
 * depth to which a value is compared.
 */
const most = { layers: 50, members: 1000, alternatives: 50, compared: 1000, depth: 3 }

function declarationOf(places: readonly Place[], files: JsonSchemaFiles): Schema {
  return new Schema(layersOf(places, files), files)
}

/** The schema objects that apply together, each before what it refers to. */
function layersOf(places: readonly Place[], files: JsonSchemaFiles): readonly Place[] {
  const layers: Place[] = []
  const waiting = [...places]
  for (let place = waiting.shift(); place && layers.length < most.layers; place = waiting.shift()) {
    const { node, file } = place
    if (!files.step()) break
    if (layers.some(other => other.node === node)) continue
    layers.push(place)
    const inner: Place[] = []
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const reference = node[keyword]
      const target = typeof reference === 'string' ? files.target(reference, place) : undefined
      if (target) inner.push(target)
    }
    for (const each of listOf(node.allOf)) if (isNode(each)) inner.push({ node: each, file })
    waiting.unshift(...inner)
  }
  return layers
}

class Schema implements JsonDeclaration {
  private readonly known = new Map<string, Schema | undefined>()
  private conditions: readonly Place[] | undefined

  constructor(
    private readonly layers: readonly Place[],
    private readonly files: JsonSchemaFiles,
  ) {}

  /** The object with the members: the target of a reference is the same wherever it is referred to. */
  get key(): unknown {
    return (this.layers.find(({ node }) => isNode(node.properties)) ?? this.layers[0])?.node
  }
  get title(): string | undefined {
    const title = this.text('title')
    return title === undefined ? undefined : shortText(title)
  }
  get description(): string | undefined {
    return this.text('description')
  }
  get format(): string | undefined {
    return this.text('format')
  }
  get type(): string {
    const types = this.types()
    if (types.length === 0) {
      if (this.has('properties')) return 'group'
      return this.enumeration.length > 0 ? 'one of a list' : this.alternatives().length > 0 ? 'choice' : 'any'
    }
    return types.map(type => typeNames.get(type) ?? type).join(' or ')
  }
  get enumeration(): readonly string[] {
    const values = this.first('enum')
    if (Array.isArray(values)) return values.map(textOf)
    const fixed = this.first('const')
    return fixed === undefined ? [] : [textOf(fixed)]
  }
  get examples(): readonly string[] {
    const found = [...this.values('examples').flatMap(listOf), ...this.values('example')]
    return found.slice(0, most.alternatives).map(textOf)
  }
  get rules(): readonly string[] {
    const rules: string[] = []
    for (const [keyword, say] of ruleNames) {
      const value = this.first(keyword)
      const isSaid = typeof value === 'number' || (typeof value === 'string' && value !== '')
      if (isSaid) rules.push(say(shortText(String(value))))
    }
    const usual = this.first('default')
    if (usual !== undefined) rules.push(`default ${textOf(usual)}`)
    if (this.first('deprecated') === true) rules.push('no longer to be used')
    return rules
  }

  members(): readonly JsonMember[] {
    const names = new Set<string>()
    const required = new Set(this.values('required').flatMap(listOf))
    for (const { node } of this.applicable()) {
      const properties = isNode(node.properties) ? node.properties : {}
      for (const name in properties) {
        if (names.size === most.members) break
        const schema = properties[name]
        names.add(name)
        // Draft 3 of JSON Schema, which some published schemas still write, has `required` in the member itself.
        if (isNode(schema) && schema.required === true) required.add(name)
      }
    }
    const declarationOfMember = (name: string) => this.member(name) ?? new Schema([], this.files)
    return [...names].map(name => ({
      name,
      isAttribute: false,
      min: required.has(name) ? 1 : 0,
      max: 1,
      get declaration() {
        return declarationOfMember(name)
      },
    }))
  }

  member(name: string): Schema | undefined {
    if (this.known.has(name)) return this.known.get(name)
    const places = this.applicable().flatMap(({ node, file }) => {
      const { properties } = node
      if (!(isNode(properties) && Object.hasOwn(properties, name))) return []
      const schema = properties[name]
      return [{ node: isNode(schema) ? schema : {}, file }]
    })
    const found = places.length > 0 ? declarationOf(places, this.files) : undefined
    this.known.set(name, found)
    return found
  }

  entry(): Schema | undefined {
    const places = this.layers.flatMap(({ node, file }) =>
      [node.items, node.prefixItems, node.additionalItems]
        .flatMap(items => (Array.isArray(items) ? items.slice(0, 1) : [items]))
        .flatMap(schema => (isNode(schema) ? [{ node: schema, file }] : []))
        .slice(0, 1),
    )
    return places.length > 0 ? declarationOf(places, this.files) : undefined
  }

  alternatives(): readonly Schema[] {
    return this.layers
      .flatMap(({ node, file }) =>
        [...listOf(node.oneOf), ...listOf(node.anyOf)].map(each => ({ each, file })),
      )
      .slice(0, most.alternatives)
      .flatMap(({ each, file }) =>
        isNode(each) ? [new Schema(layersOf([{ node: each, file }], this.files), this.files)] : [],
      )
  }

  further(): Schema | undefined {
    const places = this.layers.flatMap(({ node, file }) => {
      const patterns = isNode(node.patternProperties) ? Object.values(node.patternProperties) : []
      const schema = patterns.length === 1 ? patterns[0] : node.additionalProperties
      return isNode(schema) ? [{ node: schema, file }] : []
    })
    return places.length > 0 ? declarationOf(places, this.files) : undefined
  }

  /** Whether a value may fit, as far as its type, the names of its members and fixed values tell. */
  private mayFit(value: unknown, depth = 0): boolean {
    const types = this.types()
    if (types.length > 0 && !types.some(type => isOfType(value, type))) return false
    const choices = this.first('enum')
    if (
      Array.isArray(choices) &&
      choices.length <= most.compared &&
      !choices.some(choice => equals(choice, value))
    )
      return false
    const fixed = this.first('const')
    if (fixed !== undefined && !equals(fixed, value)) return false
    if (!(isNode(value) && this.files.step())) return true
    const members = this.values('required').flatMap(listOf).slice(0, most.compared)
    if (members.some(name => typeof name === 'string' && !Object.hasOwn(value, name))) return false
    const isClosed = this.first('additionalProperties') === false && !this.has('patternProperties')
    return Object.keys(value)
      .slice(0, most.compared)
      .every(name => {
        const member = this.member(name)
        if (!member) return !isClosed
        return depth === most.depth || member.mayFit(value[name], depth + 1)
      })
  }

  chosenFor(value: unknown): Schema {
    let chosen: Schema = this
    for (let depth = 0; depth < most.depth; depth++) {
      const fitting = chosen.alternatives().find(alternative => alternative.mayFit(value))
      if (!fitting) break
      // Titles of an alternative name the whole value better than the choice does.
      const layers = [...fitting.layers, ...chosen.layers.map(withoutAlternatives)]
      chosen = new Schema(layers, this.files)
    }
    return chosen
  }

  private types(): readonly string[] {
    const type = this.first('type')
    return [type].flat().filter(each => typeof each === 'string')
  }

  /** The layers with the schemas that apply to some documents: their members have titles, too. */
  private applicable(): readonly Place[] {
    this.conditions ??= this.layers.flatMap(({ node, file }) => {
      const dependent = [node.dependentSchemas, node.dependencies].flatMap(each =>
        isNode(each) ? Object.values(each) : [],
      )
      const places = [node.then, node.else, ...dependent].flatMap(each =>
        isNode(each) ? [{ node: each, file }] : [],
      )
      return places.length > 0 ? layersOf(places, this.files) : []
    })
    return [...this.layers, ...this.conditions]
  }

  private values(keyword: string): readonly unknown[] {
    return this.layers.flatMap(({ node }) => (Object.hasOwn(node, keyword) ? [node[keyword]] : []))
  }
  private first(keyword: string): unknown {
    return this.values(keyword)[0]
  }
  private has(keyword: string): boolean {
    return this.layers.some(({ node }) => Object.hasOwn(node, keyword))
  }
  private text(keyword: string): string | undefined {
    return this.values(keyword).find(
      (value): value is string => typeof value === 'string' && value.trim() !== '',
    )
  }
}

function withoutAlternatives({ node, file }: Place): Place {
  const { oneOf: _, anyOf: __, ...others } = node
  return { node: others, file }
}

const typeNames = new Map([
  ['object', 'group'],
  ['array', 'list'],
  ['string', 'text'],
  ['integer', 'whole number'],
  ['number', 'number'],
  ['boolean', 'yes or no'],
  ['null', 'nothing'],
])

type Rule = readonly [keyword: string, say: (value: string) => string]
const ruleNames: readonly Rule[] = [
  ['format', value => formatNames.get(value) ?? nameInWords(value).toLowerCase()],
  ['minimum', value => `at least ${value}`],
  ['exclusiveMinimum', value => `more than ${value}`],
  ['maximum', value => `at most ${value}`],
  ['exclusiveMaximum', value => `less than ${value}`],
  ['multipleOf', value => `a multiple of ${value}`],
  ['minLength', value => `at least ${countOf(value, 'character', 'characters')}`],
  ['maxLength', value => `at most ${countOf(value, 'character', 'characters')}`],
  ['minItems', value => `at least ${countOf(value, 'entry', 'entries')}`],
  ['maxItems', value => `at most ${countOf(value, 'entry', 'entries')}`],
  ['pattern', value => `matches ${value}`],
]

const formatNames = new Map([
  ['uri', 'web address'],
  ['date-time', 'date and time'],
  ['email', 'email address'],
])

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return shortText(typeof value === 'string' ? value : JSON.stringify(value))
}

function equals(choice: unknown, value: unknown): boolean {
  return choice === value || (typeof choice === 'object' && JSON.stringify(choice) === JSON.stringify(value))
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'object') return isNode(value)
  // A number that no double holds is an object here.
  if (type === 'number' || type === 'integer') return typeof value === 'number' || isNode(value)
  return typeof value === type
}

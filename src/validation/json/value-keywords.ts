import { _, type Ajv, type Code, type CodeKeywordDefinition, type KeywordCxt, Name, str } from 'ajv'
import { operators, or } from 'ajv/dist/compile/codegen/index.js'
import { compareDecimals, isMultipleOf } from '../../core/json/decimal.js'
import type { Holder } from '../../core/json/written-number.js'
import {
  canonicalText,
  decimalAt,
  isComposite,
  isPlainScalar,
  numbers,
  openContents,
  writtenAt,
} from './compared-values.js'

/*
 * The keywords that compare values, in the place of ajv's. Those take quadratic time, end with an error for members
 * such as `toString`, and compare numbers as doubles: for them 0.07 is no multiple of 0.01.
 */

/** Replaces the keywords of an instance. @see docs/contract.md#values-of-json; https://json-schema.org/draft/2020-12/json-schema-validation */
export function useValueKeywords(ajv: Ajv): void {
  // In draft-04, `exclusiveMaximum` is a boolean that belongs to `maximum`.
  const hasBooleans = ajv.opts.schemaId === 'id'
  const ofBounds = Object.keys(bounds).filter(name => !hasBooleans || !name.startsWith('exclusive'))
  for (const definition of [constant, enumeration, uniqueItems, multipleOf, ...ofBounds.map(boundKeyword)]) {
    ajv.removeKeyword(definition.keyword as string).addKeyword(definition)
  }
}

/** Whether a value satisfies a keyword. The value is at `name` in `holder`. */
type Test<T> = (value: T, holder: object | undefined, name: string | number) => boolean

/**
 * Code that calls the test with the value and its place.
 * @param ofDoubles code that is enough as long as doubles hold all numbers
 */
function testCode<T>({ gen, data, it }: KeywordCxt, test: Test<T>, ofDoubles?: Code): Code {
  const ref = gen.scopeValue('func', { ref: test })
  const call = _`${ref}(${data}, ${it.parentData}, ${it.parentDataProperty})`
  if (!ofDoubles) return call
  return _`(${gen.scopeValue('obj', { ref: numbers })}.areWritten ? ${call} : ${ofDoubles})`
}

const constant: CodeKeywordDefinition = {
  keyword: 'const',
  error: {
    message: 'must be equal to constant',
    params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}`,
  },
  code: cxt => cxt.pass(amongCode(cxt, cxt.parentSchema, ['const'])),
}

const enumeration: CodeKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  error: {
    message: 'must be equal to one of the allowed values',
    params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
  },
  code: cxt => cxt.pass(amongCode(cxt, cxt.schema, Object.keys(cxt.schema))),
}

/** Limit of the values that are compared one by one. */
const fewValues = 8

function amongCode(cxt: KeywordCxt, allowed: Holder, names: readonly string[]): Code {
  const test = isAmong(allowed, names)
  const isSimple =
    names.length > 0 &&
    names.length <= fewValues &&
    names.every(name => isPlainScalar(allowed[name], allowed, name))
  if (!isSimple) return testCode(cxt, test)
  const values = names.map(name => allowed[name] as string | number | boolean | null)
  return testCode(cxt, test, or(...values.map(value => _`${cxt.data} === ${value}`)))
}

/** Whether a value is equal to one of those at the names in an object or array of the schema. */
function isAmong(allowed: Holder, names: readonly string[]): Test<unknown> {
  const scalars = new Set<unknown>()
  const texts = new Set<string>()
  let longest = 0
  for (const name of names) {
    if (isPlainScalar(allowed[name], allowed, name)) scalars.add(allowed[name])
    else {
      const text = canonicalText(allowed[name], allowed, name) ?? ''
      texts.add(text)
      longest = Math.max(longest, text.length)
    }
  }
  return (value, holder, name) => {
    if (isPlainScalar(value, holder, name)) return scalars.has(value)
    const text = texts.size > 0 ? canonicalText(value, holder, name, longest) : undefined
    return text !== undefined && texts.has(text)
  }
}

const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: ({ params: { i, j } }) =>
      str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
    params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
  },
  code(cxt) {
    if (cxt.schema === false) return
    const { gen, data } = cxt
    const ref = gen.scopeValue('func', { ref: equalItems })
    const pair = gen.const('pair', _`${ref}(${data}, ${rootData})`)
    cxt.setParams({ i: gen.const('i', _`${pair}?.[1]`), j: gen.const('j', _`${pair}?.[0]`) })
    cxt.fail(pair)
  },
}

/** The document in the code of ajv. */
const rootData = new Name('rootData')

/** The numbers of the contents of documents. The arrays of a document share them, because arrays may be nested. */
const contentsOf = new WeakMap<object, (value: object) => number>()

/** The indexes of the first two items that are equal. @param document of which the items are a part */
function equalItems(items: readonly unknown[], document: object): readonly [number, number] | undefined {
  const scalars = new Map<unknown, number>()
  const others = new Map<number | string, number>()
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    const isScalar = isPlainScalar(item, items, index)
    const key = isScalar
      ? item
      : isComposite(item)
        ? contentOf(item, document)
        : canonicalText(item, items, index)
    const seen = isScalar ? scalars : (others as Map<unknown, number>)
    const before = seen.get(key)
    if (before !== undefined) return [before, index]
    seen.set(key, index)
  }
  return undefined
}

function contentOf(value: object, document: object): number {
  const numberOf = contentsOf.get(document) ?? openContents()
  contentsOf.set(document, numberOf)
  return numberOf(value)
}

const multipleOf: CodeKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: {
    message: cxt => `must be multiple of ${limitText(cxt)}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
  code(cxt) {
    const step = cxt.schema as number
    const exactStep = decimalAt(step, cxt.parentSchema, cxt.keyword)
    cxt.pass(
      testCode<number>(cxt, (value, holder, name) =>
        Number.isSafeInteger(step) && Number.isSafeInteger(value)
          ? value % step === 0
          : isMultipleOf(decimalAt(value, holder, name), exactStep),
      ),
    )
  },
}

/** What ajv says about a keyword. */
interface LimitKeyword {
  readonly keyword: string
  readonly schema: unknown
  readonly parentSchema?: Holder
}

interface Bound {
  readonly operator: Code
  /** Whether a value satisfies the bound that is larger than the bound by a difference. */
  isMet(difference: number): boolean
}

const bounds: Readonly<Record<string, Bound>> = {
  maximum: { operator: operators.LTE, isMet: difference => difference <= 0 },
  minimum: { operator: operators.GTE, isMet: difference => difference >= 0 },
  exclusiveMaximum: { operator: operators.LT, isMet: difference => difference < 0 },
  exclusiveMinimum: { operator: operators.GT, isMet: difference => difference > 0 },
}

function boundKeyword(keyword: string): CodeKeywordDefinition {
  return {
    keyword,
    type: 'number',
    schemaType: 'number',
    error: {
      message: cxt => `must be ${String(boundOf(cxt).operator)} ${limitText(cxt)}`,
      params: cxt => _`{comparison: ${String(boundOf(cxt).operator)}, limit: ${cxt.schemaCode}}`,
    },
    code(cxt) {
      const limit = cxt.schema as number
      const isPlain = writtenAt(cxt.parentSchema, keyword) === undefined
      const exactLimit = decimalAt(limit, cxt.parentSchema, keyword)
      const { isMet, operator } = boundOf(cxt)
      cxt.pass(
        testCode<number>(
          cxt,
          (value, holder, name) => isMet(compareDecimals(decimalAt(value, holder, name), exactLimit)),
          isPlain ? _`${cxt.data} ${operator} ${limit}` : undefined,
        ),
      )
    },
  }
}

function boundOf({ keyword, parentSchema }: LimitKeyword) {
  const exclusive = `exclusive${keyword.charAt(0).toUpperCase()}${keyword.slice(1)}`
  return bounds[parentSchema?.[exclusive] === true ? exclusive : keyword] as Bound
}

/** The limit as the schema has it. */
function limitText({ keyword, parentSchema, schema }: LimitKeyword): string {
  return writtenAt(parentSchema, keyword) ?? String(schema)
}

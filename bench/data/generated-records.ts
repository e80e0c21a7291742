import { asVersion, type Id, type Version } from '../../src/core/value-types.js'
import { encodeRecord } from '../../src/store/records/record-json.js'
import { mix, openRandom, type Random } from './seeded-random.js'

/*
 * The content of generated repositories: JSON Schemas for descriptions of measurements, records, and documents of about
 * 2 KB. All content depends only on the seed and on numbers, so every part can be made without the others.
 */

export function schemaIdOf(number: number): Id {
  return `measurement-${number}` as Id
}

/** A JSON Schema of about 5 KB. Each has a different property. */
export function schemaDocument(number: number): Buffer {
  const text = { type: 'string', minLength: 1, maxLength: 2000 }
  const agent = {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: text,
      affiliation: text,
      orcid: { type: 'string', pattern: '^\\d{4}-\\d{4}-\\d{4}-\\d{3}[\\dX]$' },
    },
  }
  const quantity = (name: string, unit: string) => ({
    type: 'object',
    description: `The ${name} in ${unit}`,
    required: ['value', 'unit'],
    additionalProperties: false,
    properties: {
      value: { type: 'number' },
      unit: { const: unit },
      uncertainty: { type: 'number', minimum: 0 },
    },
  })
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `A measurement, form ${number}`,
    description: 'What was measured, by whom, with which instrument, and which files hold the data.',
    type: 'object',
    required: ['title', 'creators', 'instrument', 'measurements', 'files'],
    additionalProperties: false,
    properties: {
      title: text,
      [`form${number}`]: { const: number },
      creators: { type: 'array', minItems: 1, maxItems: 20, items: { $ref: '#/$defs/agent' } },
      description: text,
      keywords: { type: 'array', items: text, uniqueItems: true },
      date: { type: 'string', format: 'date' },
      instrument: {
        type: 'object',
        required: ['name', 'settings'],
        additionalProperties: false,
        properties: {
          name: text,
          vendor: { enum: vendors },
          serialNumber: { type: 'string', pattern: '^[A-Z]{2}-\\d{6}$' },
          settings: {
            type: 'object',
            additionalProperties: false,
            properties: Object.fromEntries(settings.map(([name, unit]) => [name, quantity(name, unit)])),
          },
        },
      },
      measurements: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['quantity', 'value', 'unit'],
          additionalProperties: false,
          properties: {
            quantity: { enum: settings.map(([name]) => name) },
            value: { type: 'number' },
            unit: { enum: settings.map(([, unit]) => unit) },
            position: { type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 },
          },
        },
      },
      files: {
        type: 'array',
        items: {
          type: 'object',
          required: ['path', 'size', 'sha256'],
          additionalProperties: false,
          properties: {
            path: { type: 'string', pattern: '^[a-z0-9/._-]+$' },
            size: { type: 'integer', minimum: 0 },
            sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          },
        },
      },
      note: text,
    },
    $defs: { agent },
  }
  return Buffer.from(`${JSON.stringify(schema, undefined, 2)}\n`)
}

export function schemaRecord(number: number): Buffer {
  return encodeRecord({
    id: schemaIdOf(number),
    titles: [{ value: `Measurements, form ${number}` }],
    creators: [{ givenName: 'SELF' }],
    publisher: 'SELF',
    publicationYear: '2020',
    acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }],
  })
}

/** A UUID. Different numbers below 2³² have different ids. */
export function idOf(seed: string, number: number): Id {
  const words = [0, 1, 2, 3].map(at => mix(seed, number, at).toString(16).padStart(8, '0'))
  const hex = words.join('')
  const variant = '89ab'.charAt(mix(seed, number) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}` as Id
}

/**
 * Number of the schema that the record follows. Few schemas have most of the records.
 * @see https://en.wikipedia.org/wiki/Zipf%27s_law
 */
export function schemaOf(seed: string, number: number, schemas: number): number {
  const share = openRandom(mix(seed, number, 10)).next()
  return Math.min(schemas - 1, Math.floor((schemas + 1) ** share - 1))
}

/** Default share of the records that everyone may read. */
const usuallyShown = 0.8

/** Makes `record.json` of a version of a record. @param shown share of the records that everyone may read */
export function recordOf(
  seed: string,
  number: number,
  version: Version,
  schema: number,
  shown = usuallyShown,
): Buffer {
  const random = openRandom(mix(seed, number, 11))
  const people = 1 + random.below(4)
  const doi = random.next() < 0.6
  const suffix = `${(mix(seed, number, 12) % 10_000_000).toString(36)}.${number}`
  const year = String(2020 + random.below(6))
  return encodeRecord({
    id: idOf(seed, number),
    schema: { schemaId: schemaIdOf(schema), version: asVersion(1) },
    creators: Array.from({ length: people }, () => person(random)),
    titles: [{ value: titleOf(random, number) }],
    publisher: random.pick(institutes),
    publicationYear: year,
    relatedIdentifiers: [
      {
        identifierType: doi ? 'DOI' : 'URL',
        value: doi ? `10.5555/${suffix}` : `https://data.example.org/measurements/${suffix}`,
        relationType: 'IS_METADATA_FOR',
      },
    ],
    ...(version > 1 && {
      descriptions: [{ description: `Corrected ${version - 1} times.`, type: 'TECHNICAL_INFO' }],
    }),
    ...(random.next() < 0.3 && {
      alternateIdentifiers: [{ value: `lab:${suffix}`, identifierType: 'OTHER' }],
    }),
    ...(random.next() < 0.7 && {
      rights: [{ schemeId: 'CC-BY-4.0', schemeUri: 'https://creativecommons.org/licenses/by/4.0/' }],
    }),
    acls: [
      { sid: 'SELF', permission: 'ADMINISTRATE' },
      ...(random.next() < shown ? [{ sid: 'anonymousUser', permission: 'READ' } as const] : []),
    ],
  })
}

/**
 * Makes the document of a version of a record. It has 1 to 6 KB, usually about 2 KB. The next version differs in a few
 * places.
 * @param brief the document has a title only
 */
export function documentOf(
  seed: string,
  number: number,
  version: Version,
  schema: number,
  brief = false,
): Buffer {
  const random = openRandom(mix(seed, number, 13))
  if (brief) return Buffer.from(`${JSON.stringify({ title: titleOf(random, number), version })}\n`)
  const people = 1 + random.below(4)
  // A distribution of sizes with many small ones and a long tail of large ones.
  const size = 0.6 + random.next() * random.next() * 2 + (random.next() < 0.05 ? 2 : 0)
  const document = {
    title: titleOf(random, number),
    [`form${schema}`]: schema,
    creators: Array.from({ length: people }, () => ({
      name: nameOf(random),
      affiliation: random.pick(institutes),
      ...(random.next() < 0.5 && { orcid: orcidOf(random) }),
    })),
    description: sentences(random, Math.ceil(4 * size)),
    keywords: [...new Set(Array.from({ length: 1 + random.below(5) }, () => random.pick(words)))],
    date: `20${10 + random.below(15)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`,
    instrument: {
      name: `${random.pick(vendors)} ${random.pick(words)} ${random.below(900)}`,
      vendor: random.pick(vendors),
      serialNumber: `GM-${100_000 + random.below(900_000)}`,
      settings: Object.fromEntries(
        settings
          .filter(() => random.next() < 0.6)
          .map(([name, unit]) => [name, { value: round(random.next() * 500), unit }]),
      ),
    },
    measurements: Array.from({ length: Math.ceil(7 * size) }, () => measurement(random)),
    files: Array.from({ length: 1 + Math.floor(3 * size) }, (_, index) => ({
      path: `run-${two(index)}/${random.pick(words)}.h5`,
      size: random.below(2 ** 31),
      sha256: Array.from({ length: 8 }, () =>
        mix(seed, number, random.below(2 ** 31))
          .toString(16)
          .padStart(8, '0'),
      ).join(''),
    })),
    ...(version > 1 && {
      note: `Version ${version}: ${sentences(openRandom(mix(seed, number, 14, version)), 1)}`,
    }),
  }
  if (version > 1) document.measurements.push(measurement(openRandom(mix(seed, number, 15, version))))
  return Buffer.from(`${JSON.stringify(document, undefined, 1)}\n`)
}

function measurement(random: Random) {
  const [quantity, unit] = random.pick(settings)
  return {
    quantity,
    value: round(random.next() * 1000),
    unit,
    ...(random.next() < 0.3 && { position: [random.below(100), random.below(100), random.below(20)] }),
  }
}

function titleOf(random: Random, number: number): string {
  return `${capital(random.pick(words))} of ${random.pick(words)} ${random.pick(words)}, specimen ${number}`
}

function person(random: Random) {
  const [givenName = '', familyName = ''] = nameOf(random).split(' ')
  return { givenName, familyName, affiliations: [random.pick(institutes)] }
}

function nameOf(random: Random): string {
  return `${random.pick(givenNames)} ${random.pick(familyNames)}`
}

function orcidOf(random: Random): string {
  const four = () => String(random.below(10_000)).padStart(4, '0')
  return `0000-${four()}-${four()}-${four()}`
}

function sentences(random: Random, count: number): string {
  const sentence = () =>
    `${capital(Array.from({ length: 6 + random.below(9) }, () => random.pick(words)).join(' '))}.`
  return Array.from({ length: count }, sentence).join(' ')
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const two = (number: number) => String(number).padStart(2, '0')
const round = (number: number) => Math.round(number * 1000) / 1000

const vendors = ['Aurora', 'Borealis', 'Corvus', 'Draco', 'Hydra', 'Lyra']
const settings = [
  ['voltage', 'kV'],
  ['current', 'nA'],
  ['temperature', 'K'],
  ['pressure', 'Pa'],
  ['exposure', 's'],
  ['mass', 'g'],
  ['length', 'mm'],
] as const
const institutes = [
  'Institute of Applied Measurement',
  'Laboratory for Electron Microscopy',
  'Centre for Materials and Energy',
  'Department of Geoscience',
  'Synchrotron Facility',
  'University Library',
]
const givenNames = [
  'Ada',
  'Bo',
  'Chiara',
  'Dmitri',
  'Eun',
  'Fatima',
  'Goran',
  'Hana',
  'Ida',
  'José',
  'Káťa',
  'Liam',
]
const familyNames = [
  'Abe',
  'Brandt',
  'Castillo',
  'Dvořák',
  'Eriksen',
  'Fischer',
  'Grünwald',
  'Haddad',
  'Ivanova',
  'Kim',
]
const words =
  'alloy annealing aperture band boundary calibration ceramic charge coating composite contrast crystal defect density detector diffraction diffusion dose electron energy etching ferrite field film fracture grain graphite heating image indentation interface ion lattice layer magnetic mapping matrix membrane mineral oxide particle phase plasma polymer porosity powder profile quartz radiation reference resolution sample scattering segment silicon sinter slice spectrum steel strain stress structure substrate surface tension texture thermal titanium vacuum wafer weld xenon yield zinc'.split(
    ' ',
  )

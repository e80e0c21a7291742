import { LRUCache } from 'lru-cache'
import type { Finding } from '../core/problem.js'
import { sizeOf } from './bundle-size.js'
import { capped, findingsOf } from './faults.js'
import { compileJson, jsonReferences } from './json-schema.js'
import type { Answer, Task } from './protocol.js'
import type { SchemaBundle } from './validator.js'
import type { XmlEngine } from './xml-engine.js'
import { compileXml, xmlReferences } from './xml-schema.js'

/** Compiled schemas a worker keeps, and the bytes of schema text they may stand for. */
const mostSchemas = 64
const mostBytes = 16 * 2 ** 20

interface Compiled {
  readonly validate: (document: Uint8Array) => readonly Finding[]
  readonly dispose: () => void
  readonly size: number
}

/**
 * Carries out tasks, one after the other, and keeps what it compiled. Runs in a worker thread or a child process.
 * @param deepest levels a JSON document or schema may have
 */
export function openVerdicts(xml: XmlEngine, deepest: number): (task: Task) => Answer {
  const cache = new LRUCache<string, Compiled>({
    max: mostSchemas,
    maxSize: mostBytes,
    sizeCalculation: ({ size }) => Math.min(Math.max(size, 1), mostBytes),
    dispose: ({ dispose }) => dispose(),
  })

  function compile(bundle: SchemaBundle): Compiled {
    const size = sizeOf(bundle)
    if (bundle.type === 'JSON') return { ...compileJson(bundle, deepest), dispose: () => undefined, size }
    const schema = compileXml(xml, bundle)
    return { validate: schema.validate, dispose: schema.dispose, size }
  }

  function judge(task: Task & { kind: 'check' | 'validate' }): Answer {
    const key = task.kind === 'check' ? task.bundle.key : task.key
    let compiled = cache.get(key)
    let compilations = 0
    if (!compiled) {
      if (!task.bundle) return { kind: 'unknown', compilations }
      compilations++
      try {
        compiled = compile(task.bundle)
      } catch (thrown) {
        const findings = capped(findingsOf(thrown))
        return {
          kind: 'findings',
          findings: task.kind === 'check' ? findings : findings.map(ofSchema),
          compilations,
        }
      }
      cache.set(key, compiled)
    }
    const findings = task.kind === 'check' ? [] : compiled.validate(task.document)
    return { kind: 'findings', findings: capped(findings), compilations }
  }

  return task => {
    if (task.kind !== 'references') return judge(task)
    const { type, document, files } = task
    const bundle: SchemaBundle = { key: '', type, document, files, registered: new Map() }
    try {
      const references = type === 'JSON' ? jsonReferences(bundle, deepest) : xmlReferences(xml, bundle)
      return { kind: 'references', references, compilations: 0 }
    } catch (thrown) {
      return { kind: 'findings', findings: capped(findingsOf(thrown)), compilations: 0 }
    }
  }
}

/** A finding about the schema, told to somebody who asked about a document. */
function ofSchema({ message, path, file }: Finding): Finding {
  const schemaPath = path === undefined ? file : `${file === undefined ? '' : `${file}#`}${path}`
  return {
    message: `The schema cannot be used: ${message}`,
    ...(schemaPath === undefined ? {} : { schemaPath }),
  }
}

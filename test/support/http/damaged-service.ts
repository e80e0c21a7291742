import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonSchema, metadataRecordV1, startService, type TestService } from './test-service.js'

/** Starts a service, stores the metadata record `a`, and deletes all objects of the repository. */
export async function startDamagedService(report: (error: unknown) => void): Promise<TestService> {
  const service = await startService({ report })
  await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
  const record = metadataRecordV1('https://example.org/a', 'plain', { id: 'a' })
  await service.postMetadata(record, '{"n":1}').expect(201)
  const objects = join(service.repository.dir, 'objects')
  // The server may add a file during the removal.
  await rm(objects, { recursive: true, maxRetries: 10 })
  await mkdir(objects)
  return service
}

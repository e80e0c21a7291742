import { openConnection } from '../../bench/load/http-connection.js'
import { registration, schemas } from './overload-requests.js'

/** Registers the schemas of the clients' documents. @throws Error if the server refuses one */
export async function registerSchemas(port: number): Promise<void> {
  const connection = await openConnection(port)
  for (const id of Object.keys(schemas) as (keyof typeof schemas)[]) {
    const { status, body } = await connection.send(registration(id))
    if (status !== 201) throw new Error(`The server refused the schema ${id}: ${status} ${body.toString()}`)
  }
  connection.close()
}

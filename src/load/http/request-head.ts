import { validateHeaderName, validateHeaderValue } from 'node:http'

/**
 * The request line and the fields, each with its line end: what follows is the length of the body and a blank line. Throws TypeError for
 * a field that could not be sent as it is.
 */
export function headOf(requestLine: string, fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries(fields).map(([name, value]) => {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return `${name}: ${value}\r\n`
  })
  return `${requestLine}\r\n${lines.join('')}connection: keep-alive\r\n`
}

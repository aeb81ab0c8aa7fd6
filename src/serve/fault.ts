/** An answer that is an error, in the form that OpenAI's API gives it. */
export interface Fault {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly param: string | null
  readonly code: string | null
}

const fault =
  (status: number, type: string) =>
  (message: string, param: string | null = null, code: string | null = null): Fault => ({
    status,
    type,
    message,
    param,
    code,
  })

type Make = (message: string, param?: string | null, code?: string | null) => Fault

export const badRequest: Make = fault(400, 'invalid_request_error')
export const notFound: Make = fault(404, 'invalid_request_error')
export const wrongMethod: Make = fault(405, 'invalid_request_error')
export const tooLarge: Make = fault(413, 'invalid_request_error')
export const broken: Make = fault(500, 'server_error')
export const unavailable: Make = fault(503, 'server_error')

export function faultBody({ message, type, param, code }: Fault): string {
  return JSON.stringify({ error: { message, type, param, code } })
}

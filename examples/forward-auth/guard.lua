-- Asks Guard about a request, with HAProxy's own HTTP client, and writes the answer into variables.

-- haproxy.cfg sets the address of Guard. Without it, HAProxy does not start.
local CHECK = "http://" .. assert(os.getenv("GUARD_ADDRESS"), "GUARD_ADDRESS is not set") .. "/check/haproxy"
local TIMEOUT_MS = 1000

-- Header fields that are not sent to Guard: they belong to this connection, or to a body, which the question lacks.
local NOT_ASKED = {
  ["connection"] = true,
  ["keep-alive"] = true,
  ["upgrade"] = true,
  ["expect"] = true,
  ["te"] = true,
  ["content-length"] = true,
  ["transfer-encoding"] = true,
}

local TOLD = {
  guard_decision = "x-guard-decision",
  guard_request_id = "x-guard-request-id",
  guard_session = "x-guard-session",
  guard_crawler = "x-guard-crawler",
  guard_answer = "x-guard-answer",
  guard_cookie = "set-cookie",
  guard_cache = "cache-control",
}

local function question(txn)
  local fields = {}
  for name, values in pairs(txn.http:req_get_headers()) do
    if not NOT_ASKED[name] then
      fields[name] = {}
      for _, value in pairs(values) do
        table.insert(fields[name], value)
      end
    end
  end
  return fields
end

core.register_action("guard", { "http-req" }, function(txn)
  local answer = core.httpclient():get({ url = CHECK, headers = question(txn), timeout = TIMEOUT_MS })
  local status = answer and answer.status or 0
  if status < 200 or status >= 500 then
    -- Guard is away. The site goes on without it.
    txn:set_var("txn.guard_decision", "fail_open")
    return
  end
  for variable, field in pairs(TOLD) do
    local values = answer.headers[field]
    local value = values and (values[0] or values[1])
    if value then
      txn:set_var("txn." .. variable, value)
    end
  end
  if status ~= 204 then
    txn:set_var("txn.guard_denied", true)
  end
end)

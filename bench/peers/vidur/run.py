"""Runs Vidur on a trace and prints as JSON how long its simulation took. Arguments: its folder, the trace, requests, a folder for scratch.

It must be told nothing of how long its regressions train: only run() counts. What it imports to draw and to upload is not needed for
that; the stand-ins beside this file take its place.
"""
import csv
import json
import os
import sys
import time

root, trace, requests, scratch = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
sys.path[:0] = [root, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'stubs')]
os.chdir(root)


def write(name, rows):
    path = os.path.join(scratch, name)
    with open(path, 'w') as file:
        csv.writer(file).writerows(rows)
    return path


def attention():
    """Llama-3-8B on an A100, one layer, ms: a roofline in place of its own table, which is too large for many copies of the repository.
    So what Vidur says here of that model is nothing to go by; how long it takes to say it is."""
    memory, arithmetic, token_bytes = 1.6e12, 2.0e14, 2 * 8 * 128 * 2
    what = ['batch_size', 'prefill_chunk_size', 'kv_cache_size']
    what += [f'time_stats.{part}.median' for part in ('attn_prefill', 'attn_decode', 'attn_kv_cache_save')]
    rows = [['n_embd', 'n_q_head', 'n_kv_head', 'block_size', 'num_tensor_parallel_workers', *what]]
    contexts = [0, 64, 128, 256, 512, 1024, 2048, 4096]
    for batch in [1, 2, 4, 8, 16, 32, 64, 128, 256]:
        for kv in contexts:
            ms = 0.004 + 1e3 * batch * kv * token_bytes / memory
            rows.append([4096, 32, 8, 16, 1, batch, 0, kv, 0, ms, 0.003 + batch * 1e-5])
    for chunk in [1, 32, 64, 128, 256, 512, 1024, 2048, 4096]:
        for kv in contexts:
            ms = 0.005 + 1e3 * 4 * 4096 * chunk * (kv + chunk / 2) / arithmetic
            rows.append([4096, 32, 8, 16, 1, 1, chunk, kv, ms, 0, 0.003 + chunk * 1e-5])
    return rows


def wanted():
    with open(trace) as file:
        rows = list(csv.reader(file))[1 : requests + 1]
    head = ['arrived_at', 'num_prefill_tokens', 'num_decode_tokens']
    return [head, *[[float(at), int(prompt), int(answer)] for at, prompt, answer in rows]]


predictor = '--linear_regression_execution_time_predictor_config_'
sys.argv[1:] = [
    '--log_level', 'error',
    '--cluster_config_num_replicas', '8', '--global_scheduler_config_type', 'round_robin',
    '--replica_config_model_name', 'meta-llama/Meta-Llama-3-8B',
    '--replica_config_device', 'a100', '--replica_config_network_device', 'a100_dgx',
    '--replica_scheduler_config_type', 'sarathi',
    '--sarathi_scheduler_config_batch_size_cap', '128', '--sarathi_scheduler_config_chunk_size', '512',
    '--request_generator_config_type', 'trace_replay',
    '--trace_request_generator_config_trace_file', write('trace.csv', wanted()),
    '--trace_request_generator_config_max_tokens', '8192',
    '--execution_time_predictor_config_type', 'linear_regression',
    predictor + 'attention_input_file', write('attention.csv', attention()),
    predictor + 'num_training_job_threads', '1',
    predictor + 'prediction_max_tokens_per_request', '8192',
    '--no-metrics_config_write_metrics', '--no-metrics_config_enable_chrome_trace', '--no-metrics_config_store_plots',
    '--metrics_config_output_dir', scratch, '--metrics_config_cache_dir', os.path.join(scratch, 'cache'),
]  # fmt: skip

from vidur.config import SimulationConfig  # noqa: E402
from vidur.simulator import Simulator  # noqa: E402
from vidur.utils.random import set_seeds  # noqa: E402

config = SimulationConfig.create_from_cli_args()
set_seeds(config.seed)
simulator = Simulator(config)
start = time.process_time()
simulator.run()
print(json.dumps({'seconds': time.process_time() - start}))
sys.stdout.flush()
os._exit(0)  # it would write its metrics now

#!/usr/bin/env python3
"""PyTorch beside bench_deep_step: the same network, images per second of one training step.

plain: forward, backward, update, no privacy. func: every row's gradient by torch.func, clipped and
summed. Each in the layout that is faster here; --compile adds torch.compile to both.
"""

import argparse
import statistics
import time

import torch
from torch import nn
from torch.func import functional_call, grad, vmap


def network():
    stages = [(8, 1), (16, 1), (16, 2), (32, 1), (64, 1), (64, 2), (128, 1), (256, 1), (256, 2)]
    layers, channels = [], 3
    for outputs, stride in stages:
        layers += [nn.Conv2d(channels, outputs, 3, stride, 1), nn.InstanceNorm2d(outputs), nn.ReLU()]
        channels = outputs
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(channels * 16 * 16, 9)).cuda()


def seconds(work, steps):
    times = []
    for _ in range(steps + 5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[5:])


def plain_step(model, precision, x, y, compiled):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def loss_of(x, y):
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            return nn.functional.cross_entropy(model(x), y)

    loss_of = torch.compile(loss_of) if compiled else loss_of

    def step():
        optimizer.zero_grad()
        loss_of(x, y).backward()
        optimizer.step()

    return step


def func_step(model, precision, x, y, chunk, compiled):
    parameters = {k: v.detach() for k, v in model.named_parameters()}

    def loss_of(parameters, x, y):
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            outputs = functional_call(model, parameters, (x[None],))
        return nn.functional.cross_entropy(outputs, y[None])

    rows = vmap(grad(loss_of), in_dims=(None, 0, 0))

    def clipped_sum(parameters, x, y):
        gradients = rows(parameters, x, y)
        norms = sum(g.flatten(1).square().sum(1) for g in gradients.values()).sqrt()
        factors = 1 / norms.clamp_min(1.0)
        return {k: torch.einsum("n,n...->...", factors, g) for k, g in gradients.items()}

    clipped_sum = torch.compile(clipped_sum) if compiled else clipped_sum

    def step():
        total = None
        for i in range(0, len(x), chunk):
            part = clipped_sum(parameters, x[i : i + chunk], y[i : i + chunk])
            total = part if total is None else {k: total[k] + v for k, v in part.items()}
        for k, v in parameters.items():
            v.add_(total[k] + 0.7 * torch.randn_like(v), alpha=-0.01 / len(x))

    return step


def best(make, batch, steps, model):
    """Images per second in the better of the two memory layouts."""
    rates = {}
    for name, layout in (("nchw", torch.contiguous_format), ("nhwc", torch.channels_last)):
        try:
            model.to(memory_format=layout)
            x = torch.rand(batch, 3, 128, 128, device="cuda").contiguous(memory_format=layout)
            y = torch.randint(9, (batch,), device="cuda")
            rates[name] = batch / seconds(make(x, y), steps)
        except Exception as error:  # out of memory, or a compiler that gives up
            print(f"  {name}: {str(error).splitlines()[0][:100]}")
        torch.cuda.empty_cache()
    name = max(rates, key=rates.get)
    return f"{rates[name]:7.0f} images/s ({name}; " + ", ".join(
        f"{k} {v:.0f}" for k, v in rates.items()) + ")"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", default="256,1024")
    parser.add_argument("--precision", default="tf32,bf16")
    parser.add_argument("--chunk", type=int, default=64, help="rows of torch.func at a time")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    how = " compiled" if arguments.compile else ""
    for precision in arguments.precision.split(","):
        for batch in map(int, arguments.batch.split(",")):
            model = network()
            peers = {
                "plain": lambda x, y: plain_step(model, precision, x, y, arguments.compile),
                "func": lambda x, y: func_step(model, precision, x, y, arguments.chunk,
                                               arguments.compile),
            }
            for name, make in peers.items():
                rate = best(make, batch, arguments.steps, model)
                print(f"{precision:5} batch {batch:5} {name}{how}: {rate}", flush=True)


if __name__ == "__main__":
    main()
